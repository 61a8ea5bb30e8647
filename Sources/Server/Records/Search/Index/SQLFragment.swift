import Storage

/// A piece of a statement, often a condition, with the values of its placeholders in the order in which they stand.
struct SQLFragment: Sendable {
    let sql: String
    let parameters: [SQLValue]

    init(_ sql: String, _ parameters: [SQLValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.parameters + right.parameters)
    }

    static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.parameters)
    }

    static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.parameters)
    }

    /// The parts with a word between them.
    static func joined(_ parts: [SQLFragment], by separator: String) -> SQLFragment {
        SQLFragment(parts.map(\.sql).joined(separator: separator), parts.flatMap(\.parameters))
    }

    /// The places of values in brackets, for `IN`.
    static func list(_ values: [SQLValue]) -> SQLFragment {
        SQLFragment("(" + repeatElement("?", count: values.count).joined(separator: ", ") + ")", values)
    }
}
