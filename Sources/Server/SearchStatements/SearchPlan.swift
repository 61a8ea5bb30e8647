import Storage

/// The plan of a search: the condition whose index finds the records, so that the other conditions are evaluated only
/// for these.
///
/// An engine without statistics of the values cannot distinguish a code of half of the records from a code of ten
/// records. So each condition with an index is counted, up to a limit.
struct SearchPlan: Sendable {
    /// The conjunction of all conditions.
    let condition: SQLFragment
    /// Whether the numbers of the records are looked up in an index of entries or times. A page then must not scan the
    /// records in their order, which an engine that expects few records of a type would do.
    let isByNumbers: Bool
    /// Whether an index finds fewer records than the limit, so that they are looked up one by one.
    let isFinding: Bool
    /// Whether each condition with an index finds many records. The size of their intersection is known only after a
    /// scan.
    let isDense: Bool
    /// The index that is scanned otherwise, and its first number; nil to scan the records themselves.
    let scan: (scan: OrderedIndexScan, first: Int64)?

    /// Maximum number of count queries for one condition.
    private static let maximumCounts = 40
    /// The first limit of the counts, and the factor by which it grows. The counts stop with the condition that finds
    /// the fewest records.
    private static let firstLimit = 256
    private static let growth = 8

    /// - Parameters:
    ///   - predicates: the conditions on records of the type; all must hold.
    ///   - maximumLookups: the number of records below which they are looked up one by one.
    ///   - after: the number after which the records are read in order; nil where no order is required.
    init(
        _ predicates: [SearchPredicate], type: String, maximumLookups: Int = SearchLimits.standard.maximumLookups,
        after: Int64? = nil,
        in transaction: any SQLTransaction
    ) throws {
        let every = SearchPredicate.every(predicates)
        let parts: [SearchPredicate] = if case .all(let parts) = every { parts } else { [every] }
        let counts = parts.map { Self.counts($0, type: type) }
        let best = try Self.fewest(counts, maximumLookups: maximumLookups, in: transaction)
        isFinding = best != nil
        isDense = best == nil && counts.contains { $0 != nil }
        isByNumbers = best.map { !parts[$0].isOfRow } ?? false
        condition = .all(
            parts.enumerated().map { $1.condition(type: type, isFinding: $0 == best) })
        // PostgreSQL has no index of terms by number, and chooses a plan from its statistics.
        if best == nil, let after, transaction.dialect == .sqlite {
            scan = try OrderedIndexScan.leader(
                of: parts.compactMap { OrderedIndexScan($0, type: type) }, from: after + 1, in: transaction)
        } else {
            scan = nil
        }
    }

    /// Returns the queries that count a predicate's records up to a limit; nil where the predicate has no index of its
    /// own.
    private static func counts(_ predicate: SearchPredicate, type: String) -> ((_ limit: Int) -> [SQLQuery])? {
        guard let queries = predicate.counts(type: type, limit: 0), queries.count <= maximumCounts else { return nil }
        return { predicate.counts(type: type, limit: $0) ?? [] }
    }

    /// Returns the index of the counts that find the fewest records; nil where none finds fewer than the limit.
    private static func fewest(
        _ counts: [((_ limit: Int) -> [SQLQuery])?], maximumLookups: Int, in transaction: any SQLTransaction
    ) throws -> Int? {
        var limit = min(firstLimit, maximumLookups)
        while true {
            let queries = counts.map { $0?(limit) ?? [] }
            var answers = try transaction.queries(queries.flatMap { $0 })[...]
            var best: (index: Int, count: Int)?
            for (index, queries) in queries.enumerated() where counts[index] != nil {
                let count = try answers.prefix(queries.count).reduce(0) {
                    $0 + Int(try $1.first?.integer("number") ?? 0)
                }
                answers = answers.dropFirst(queries.count)
                if count < limit, count < best?.count ?? .max { best = (index, count) }
            }
            if let best { return best.index }
            guard limit < maximumLookups, counts.contains(where: { $0 != nil }) else { return nil }
            limit = min(limit * growth, maximumLookups)
        }
    }
}
