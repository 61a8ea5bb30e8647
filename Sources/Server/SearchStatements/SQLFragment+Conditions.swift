import FHIR
import Storage

extension SQLFragment {
    package static let never = SQLFragment("1 = 0")
    package static let always = SQLFragment("1 = 1")

    var isNever: Bool { sql == SQLFragment.never.sql }
    var isAlways: Bool { sql == SQLFragment.always.sql }

    /// Returns the conjunction of the conditions, simplified where one is always true or never true.
    package static func all(_ conditions: [SQLFragment]) -> SQLFragment {
        if conditions.contains(where: \.isNever) { return .never }
        return combined(conditions.filter { !$0.isAlways }, by: " AND ") ?? .always
    }

    /// Returns the disjunction of the conditions, simplified where one is always true or never true.
    package static func any(_ conditions: [SQLFragment]) -> SQLFragment {
        if conditions.contains(where: \.isAlways) { return .always }
        return combined(conditions.filter { !$0.isNever }, by: " OR ") ?? .never
    }

    package static func not(_ condition: SQLFragment) -> SQLFragment {
        if condition.isNever { return .always }
        if condition.isAlways { return .never }
        return SQLFragment("NOT (" + condition.sql + ")", condition.parameters)
    }

    /// Returns a condition that a column has one of some values.
    package static func isOne(_ column: String, of values: [SQLValue]) -> SQLFragment {
        switch values.count {
        case 0: .never
        case 1: SQLFragment(column + " = ?", values)
        default: column + " IN " + list(values)
        }
    }

    /// Maximum number of values that have a placeholder each (``list(_:in:)``).
    static let maximumPlaceholders = 16

    /// Returns a list of values for `IN`: sorted placeholders for a few, and a single parameter for more, so that a long
    /// list has one statement and is within the engines' limits of parameters.
    package static func list(_ values: some Collection<String>, in dialect: SQLDialect) -> SQLFragment {
        guard values.count > maximumPlaceholders else { return .list(values.sorted().map { SQLValue($0) }) }
        return SQLFragment(
            dialect == .sqlite
                ? "(SELECT value FROM json_each(?))" : "(SELECT jsonb_array_elements_text(CAST(? AS jsonb)))",
            [SQLValue(String(decoding: JSON.array(values.map { .string($0) }).bytes(), as: UTF8.self))])
    }

    /// Returns the values where the fragment is just the condition that a column has one of them (``isOne(_:of:)``);
    /// nil otherwise.
    package func values(of column: String) -> [SQLValue]? {
        sql == SQLFragment.isOne(column, of: parameters).sql ? parameters : nil
    }

    private static func combined(_ conditions: [SQLFragment], by word: String) -> SQLFragment? {
        guard let first = conditions.first else { return nil }
        return conditions.count > 1 ? "(" + joined(conditions, by: word) + ")" : first
    }
}
