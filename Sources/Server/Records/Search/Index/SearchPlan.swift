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

    /// What finds more records than these does not find them: they are gone through in their order, where a page of them is
    /// full soon.
    static let most = 2_000
    /// So many counts are made for one search.
    private static let mostCounts = 40

    /// - Parameter predicates: all have to hold of records of the type.
    init(_ predicates: [SearchPredicate], type: String, in transaction: any SQLTransaction) throws {
        guard case .all(let parts) = SearchPredicate.every(predicates) else {
            let one = SearchPredicate.every(predicates)
            let isFinding = try Self.count(one, type: type, in: transaction).map { $0 < Self.most } ?? false
            condition = one.condition(type: type, isFinding: isFinding)
            isByNumbers = isFinding && !one.isOfRow
            return
        }
        var best: (place: Int, count: Int)?
        for (place, part) in parts.enumerated() {
            guard let count = try Self.count(part, type: type, in: transaction), count < Self.most else { continue }
            if count < best?.count ?? .max { best = (place, count) }
            if count == 0 { break }
        }
        isByNumbers = best.map { !parts[$0.place].isOfRow } ?? false
        condition = .all(
            parts.enumerated().map { $1.condition(type: type, isFinding: $0 == best?.place) })
    }

    /// How many records a predicate finds, at most as many as are counted; nil where it finds none by itself.
    private static func count(
        _ predicate: SearchPredicate, type: String, in transaction: any SQLTransaction
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
