import Storage

/// The numbers of records in ascending order from an index: those of all records that may match, and few others.
///
/// The matches of a frequent condition may begin far from the start of a search. An export writes one type after the
/// other, so a code of half of the records may begin in the middle of the store. A scan of an index that begins there
/// reads no other records.
struct OrderedIndexScan: Sendable {
    /// A table `e` with an index that has the `number` of a condition's rows in order.
    private struct Arm: Sendable {
        let table: StaticString
        let condition: SQLFragment

        init(_ table: StaticString, where condition: String, parameters: [SQLValue]) {
            self.table = table
            self.condition = SQLFragment(condition, parameters)
        }

        /// Whether another arm scans the same rows.
        func isSame(as other: Arm) -> Bool {
            table.description == other.table.description && condition.sql == other.condition.sql
                && condition.parameters == other.condition.parameters
        }
    }

    private let arms: [Arm]

    /// Maximum number of indexes that are merged.
    private static let maximumArms = 8
    /// Maximum number of times that a search advances to the start of the next condition.
    private static let maximumSteps = 8

    private init?(arms found: [Arm]) {
        guard found.count <= 4 * Self.maximumArms else { return nil }
        var arms: [Arm] = []
        for arm in found where !arms.contains(where: arm.isSame) { arms.append(arm) }
        guard !arms.isEmpty, arms.count <= Self.maximumArms else { return nil }
        self.arms = arms
    }

    /// Creates the scan of a predicate; nil where no index has its records in the order of their numbers.
    init?(_ predicate: SearchPredicate, type: String) {
        guard let arms = Self.arms(predicate, type) else { return nil }
        self.init(arms: arms)
    }

    private static func arms(_ predicate: SearchPredicate, _ type: String) -> [Arm]? {
        switch predicate {
        case .subject(let id):
            return [Arm("record", where: "e.type = ? AND e.subject = ?", parameters: [SQLValue(type), SQLValue(id)])]
        case .entry("record_term e", let condition):
            return condition.values(of: "e.term")?.map { Arm("record_term", where: "e.term = ?", parameters: [$0]) }
        case .entry("record_print e", let condition):
            return condition.values(of: "e.term")?.map { Arm("record_print", where: "e.term = ?", parameters: [$0]) }
        case .any(let parts):
            var all: [Arm] = []
            for part in parts {
                guard let arms = arms(part, type) else { return nil }
                all += arms
            }
            return all
        case .all(let parts): return parts.lazy.compactMap { arms($0, type) }.first
        case .never, .always, .row, .id, .time, .entry, .not: return nil
        }
    }

    /// Returns the first number from the given one on; nil after the last.
    private func first(from number: Int64, in transaction: any SQLTransaction) throws -> Int64? {
        try transaction.queries(
            arms.map { arm in
                SQLQuery(
                    "SELECT e.number AS number FROM \(arm.table) e WHERE \(arm.condition.sql) AND e.number >= ?"
                        + " ORDER BY e.number LIMIT 1", arm.condition.parameters + [SQLValue(number)])
            }
        ).compactMap { try $0.first?.integer("number") }.min()
    }

    /// Returns the scan that skips the longest range of records, and its first number. Every scan contains all
    /// matches.
    ///
    /// Each scan is asked for its next number, until all agree or the maximum number of steps is reached.
    static func leader(
        of scans: [OrderedIndexScan], from number: Int64, in transaction: any SQLTransaction
    ) throws -> (scan: OrderedIndexScan, first: Int64)? {
        guard var leader = scans.first else { return nil }
        var first = number
        for _ in 0..<maximumSteps {
            let begun = first
            for scan in scans {
                guard let found = try scan.first(from: first, in: transaction) else {
                    // No record after the scan's last one matches.
                    return (scan, .max)
                }
                if found > first { (leader, first) = (scan, found) }
            }
            if first == begun || scans.count == 1 { break }
        }
        return (leader, first)
    }

    /// Returns the statement of the numbers, from the given one on, of the records `r` that meet a condition, without
    /// duplicates and in order.
    func numbers(from number: Int64, where rows: SQLFragment) -> SQLFragment {
        .joined(
            arms.map { arm in
                // SQLite keeps the order of a cross join (https://www.sqlite.org/optoverview.html#crossjoin).
                "SELECT e.number AS number FROM \(arm.table) e CROSS JOIN record r WHERE r.number = e.number AND "
                    + arm.condition + SQLFragment(" AND e.number >= ? AND ", [SQLValue(number)]) + rows
            }, by: " UNION ")
    }
}
