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

    /// So many counts are made for one search.
    private static let mostCounts = 40

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
        var best: (place: Int, count: Int)?
        var isCounted = false
        for (place, part) in parts.enumerated() {
            guard let count = try Self.count(part, type: type, most: most, in: transaction) else { continue }
            isCounted = true
            guard count < most else { continue }
            if count < best?.count ?? .max { best = (place, count) }
            if count == 0 { break }
        }
        isFinding = best != nil
        isDense = isCounted && best == nil
        isByNumbers = best.map { !parts[$0.place].isOfRow } ?? false
        condition = .all(
            parts.enumerated().map { $1.condition(type: type, isFinding: $0 == best?.place) })
        // PostgreSQL has no index of terms by number, and chooses by what it knows of the values.
        if best == nil, let after, transaction.dialect == .sqlite {
            stream = try SearchStream.leader(
                of: parts.compactMap { SearchStream($0, type: type) }, from: after + 1, in: transaction)
        } else {
            stream = nil
        }
    }

    /// How many records a predicate finds, at most as many as are counted; nil where it finds none by itself.
    private static func count(
        _ predicate: SearchPredicate, type: String, most: Int, in transaction: any SQLTransaction
    ) throws -> Int? {
        guard let queries = predicate.counts(type: type, limit: most), queries.count <= mostCounts else { return nil }
        var sum = 0
        for rows in try transaction.queries(queries) {
            sum += Int(try rows.first?.integer("number") ?? 0)
            if sum >= most { return most }
        }
        return sum
    }
}
