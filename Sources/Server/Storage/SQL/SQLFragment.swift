/// A piece of a statement, often a condition, with the values of its placeholders in their order.
package struct SQLFragment: Sendable {
    package let sql: String
    package let parameters: [SQLValue]

    package init(_ sql: String, _ parameters: [SQLValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.parameters + right.parameters)
    }

    package static func + (left: SQLFragment, right: String) -> SQLFragment {
        SQLFragment(left.sql + right, left.parameters)
    }

    package static func + (left: String, right: SQLFragment) -> SQLFragment {
        SQLFragment(left + right.sql, right.parameters)
    }

    /// Joins the parts with a separator.
    package static func joined(_ parts: [SQLFragment], by separator: String) -> SQLFragment {
        SQLFragment(parts.map(\.sql).joined(separator: separator), parts.flatMap(\.parameters))
    }

    /// Returns the placeholders of the values in parentheses, for `IN`.
    package static func list(_ values: [SQLValue]) -> SQLFragment {
        SQLFragment("(" + repeatElement("?", count: values.count).joined(separator: ", ") + ")", values)
    }
}
