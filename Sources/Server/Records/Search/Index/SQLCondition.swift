import Storage

/// A condition in SQL with the values of its places.
struct SQLCondition: Sendable {
    let sql: String
    let parameters: [SQLValue]

    init(_ sql: String, _ parameters: [SQLValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }

    static let never = SQLCondition("1 = 0")
    static let always = SQLCondition("1 = 1")

    var isNever: Bool { sql == SQLCondition.never.sql }
    var isAlways: Bool { sql == SQLCondition.always.sql }

    /// Whether all hold; what is never so, or always, is not said.
    static func all(_ conditions: [SQLCondition]) -> SQLCondition {
        if conditions.contains(where: \.isNever) { return .never }
        return joined(conditions.filter { !$0.isAlways }, by: " AND ") ?? .always
    }

    /// Whether any holds; what is never so, or always, is not said.
    static func any(_ conditions: [SQLCondition]) -> SQLCondition {
        if conditions.contains(where: \.isAlways) { return .always }
        return joined(conditions.filter { !$0.isNever }, by: " OR ") ?? .never
    }

    static func not(_ condition: SQLCondition) -> SQLCondition {
        if condition.isNever { return .always }
        if condition.isAlways { return .never }
        return SQLCondition("NOT (" + condition.sql + ")", condition.parameters)
    }

    /// Whether a column has one of some values.
    static func isOne(_ column: String, of values: [SQLValue]) -> SQLCondition {
        switch values.count {
        case 0: .never
        case 1: SQLCondition(column + " = ?", values)
        default:
            SQLCondition(
                column + " IN (" + repeatElement("?", count: values.count).joined(separator: ", ") + ")", values)
        }
    }

    private static func joined(_ conditions: [SQLCondition], by word: String) -> SQLCondition? {
        guard let first = conditions.first else { return nil }
        guard conditions.count > 1 else { return first }
        return SQLCondition(
            "(" + conditions.map(\.sql).joined(separator: word) + ")", conditions.flatMap(\.parameters))
    }
}
