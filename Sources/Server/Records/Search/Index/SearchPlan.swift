import Storage

/// How a search goes through the store: which of its conditions finds the records, so that the others are asked of these
/// alone.
///
/// An engine that knows nothing of the values cannot tell a code that half of the records have from one that ten have. So each
/// condition that has an index is counted, up to a limit.
struct SearchPlan: Sendable {
    /// All conditions, as one.
    let condition: SQLFragment
    /// Whether the numbers of the records are looked up in an index of entries or times: then a page must not go through the
    /// records in their order, which an engine that thinks a type has few of them would.
    let isByNumbers: Bool
    /// Whether an index finds so few that they are taken one by one.
    let isFinding: Bool
    /// Whether each condition that an index finds by itself finds many: how many all together find shows only when all of them
    /// are gone through.
    let isDense: Bool
    /// In what they are gone through otherwise, and from which number on; nil for the records themselves.
    let stream: (stream: SearchStream, first: Int64)?

    /// So many counts are made for one condition.
    private static let mostCounts = 40
    /// All are counted as far as this, then as far as so many times as much: of the others no more is counted than of the one that
    /// finds the fewest.
    private static let firstLimit = 256
    private static let growth = 8

    /// - Parameters:
    ///   - predicates: all have to hold of records of the type.
    ///   - most: so many are taken one by one.
    ///   - after: the number behind which they are gone through in their order; nil where no order is asked for.
    init(
        _ predicates: [SearchPredicate], type: String, most: Int = SearchLimits.standard.most, after: Int64? = nil,
        in transaction: any SQLTransaction
    ) throws {
        let every = SearchPredicate.every(predicates)
        let parts: [SearchPredicate] = if case .all(let parts) = every { parts } else { [every] }
        let counts = parts.map { Self.counts($0, type: type) }
        let best = try Self.fewest(counts, most: most, in: transaction)
        isFinding = best != nil
        isDense = best == nil && counts.contains { $0 != nil }
        isByNumbers = best.map { !parts[$0].isOfRow } ?? false
        condition = .all(
            parts.enumerated().map { $1.condition(type: type, isFinding: $0 == best) })
        // PostgreSQL has no index of terms by number, and chooses by what it knows of the values.
        if best == nil, let after, transaction.dialect == .sqlite {
            stream = try SearchStream.leader(
                of: parts.compactMap { SearchStream($0, type: type) }, from: after + 1, in: transaction)
        } else {
            stream = nil
        }
    }

    /// How the records that a predicate finds are counted up to a limit; nil where it finds none by itself.
    private static func counts(_ predicate: SearchPredicate, type: String) -> ((_ limit: Int) -> [SQLQuery])? {
        guard let queries = predicate.counts(type: type, limit: 0), queries.count <= mostCounts else { return nil }
        return { predicate.counts(type: type, limit: $0) ?? [] }
    }

    /// The place of the counts that find the fewest records; nil where none finds fewer than the most.
    private static func fewest(
        _ counts: [((_ limit: Int) -> [SQLQuery])?], most: Int, in transaction: any SQLTransaction
    ) throws -> Int? {
        var limit = min(firstLimit, most)
        while true {
            let queries = counts.map { $0?(limit) ?? [] }
            var answers = try transaction.queries(queries.flatMap { $0 })[...]
            var best: (place: Int, count: Int)?
            for (place, queries) in queries.enumerated() where counts[place] != nil {
                let count = try answers.prefix(queries.count).reduce(0) {
                    $0 + Int(try $1.first?.integer("number") ?? 0)
                }
                answers = answers.dropFirst(queries.count)
                if count < limit, count < best?.count ?? .max { best = (place, count) }
            }
            if let best { return best.place }
            guard limit < most, counts.contains(where: { $0 != nil }) else { return nil }
            limit = min(limit * growth, most)
        }
    }
}
