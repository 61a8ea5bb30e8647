import Storage

/// The numbers of records in their order, as an index has them: those of all that may be found, and few others between.
///
/// What many records have need not lie where a search begins. An export brings one type behind the other, so a code that half
/// of the store has may begin at its middle; an index that is entered there passes over nothing.
struct SearchStream: Sendable {
    /// A table `e` whose `number` an index has in order for the rows of a condition.
    private struct Arm: Sendable {
        let table: StaticString
        let condition: SQLFragment

        init(_ table: StaticString, _ condition: String, _ parameters: [SQLValue]) {
            self.table = table
            self.condition = SQLFragment(condition, parameters)
        }

        /// Whether another one goes through the same rows.
        func isSame(as other: Arm) -> Bool {
            table.description == other.table.description && condition.sql == other.condition.sql
                && condition.parameters == other.condition.parameters
        }
    }

    private let arms: [Arm]

    /// So many indexes are gone through side by side.
    private static let mostArms = 8
    /// So often a search goes on to where the next of its conditions begins.
    private static let mostSteps = 8

    private init?(arms found: [Arm]) {
        guard found.count <= 4 * Self.mostArms else { return nil }
        var arms: [Arm] = []
        for arm in found where !arms.contains(where: arm.isSame) { arms.append(arm) }
        guard !arms.isEmpty, arms.count <= Self.mostArms else { return nil }
        self.arms = arms
    }

    /// nil for what no index has in the order of the numbers.
    init?(_ predicate: SearchPredicate, type: String) {
        guard let arms = Self.arms(predicate, type) else { return nil }
        self.init(arms: arms)
    }

    private static func arms(_ predicate: SearchPredicate, _ type: String) -> [Arm]? {
        switch predicate {
        case .subject(let id):
            return [Arm("record", "e.type = ? AND e.subject = ?", [SQLValue(type), SQLValue(id)])]
        case .entry("record_term e", let condition):
            return condition.values(of: "e.term")?.map { Arm("record_term", "e.term = ?", [$0]) }
        case .entry("record_print e", let condition):
            return condition.values(of: "e.term")?.map { Arm("record_print", "e.term = ?", [$0]) }
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

    /// The first number from one on; nil behind the last.
    private func first(from number: Int64, in transaction: any SQLTransaction) throws -> Int64? {
        try transaction.queries(
            arms.map { arm in
                SQLQuery(
                    "SELECT e.number AS number FROM \(arm.table) e WHERE \(arm.condition.sql) AND e.number >= ?"
                        + " ORDER BY e.number LIMIT 1", arm.condition.parameters + [SQLValue(number)])
            }
        ).compactMap { try $0.first?.integer("number") }.min()
    }

    /// Of several that each have all that is found: the one that lets most be passed over, and from where on.
    ///
    /// Each is asked where it goes on, until all go on at one place or it has been asked often enough.
    static func leader(
        of streams: [SearchStream], from number: Int64, in transaction: any SQLTransaction
    ) throws -> (stream: SearchStream, first: Int64)? {
        guard var leader = streams.first else { return nil }
        var first = number
        for _ in 0..<mostSteps {
            let begun = first
            for stream in streams {
                guard let found = try stream.first(from: first, in: transaction) else {
                    // Behind its last nothing is found any more.
                    return (stream, .max)
                }
                if found > first { (leader, first) = (stream, found) }
            }
            if first == begun || streams.count == 1 { break }
        }
        return (leader, first)
    }

    /// The numbers from one on of the records `r` of which a condition holds, each once, in their order.
    func numbers(from number: Int64, where rows: SQLFragment) -> SQLFragment {
        .joined(
            arms.map { arm in
                // SQLite keeps the order of a cross join (https://www.sqlite.org/optoverview.html#crossjoin).
                "SELECT e.number AS number FROM \(arm.table) e CROSS JOIN record r WHERE r.number = e.number AND "
                    + arm.condition + SQLFragment(" AND e.number >= ? AND ", [SQLValue(number)]) + rows
            }, by: " UNION ")
    }
}
