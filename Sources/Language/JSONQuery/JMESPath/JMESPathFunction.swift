/// Functions, with their names in expressions (<https://jmespath.org/specification.html#built-in-functions>).
enum JMESPathFunction: String, CaseIterable, Sendable {
    case abs, avg, ceil, contains
    case endsWith = "ends_with"
    case floor, join, keys, length, map, max
    case maxBy = "max_by"
    case merge, min
    case minBy = "min_by"
    case notNull = "not_null"
    case reverse, sort
    case sortBy = "sort_by"
    case startsWith = "starts_with"
    case sum
    case toArray = "to_array"
    case toNumber = "to_number"
    case toString = "to_string"
    case type, values
    // The functions of device mapping templates
    // (https://github.com/microsoft/iomt-fhir/blob/main/docs/CustomFunctions.md).
    case add, subtract, multiply, divide, pow, insertString, fromUnixTimestamp, fromUnixTimestampMs

    /// Allowed number of arguments.
    var arity: ClosedRange<Int> {
        switch self {
        case .notNull, .merge: 1...Int.max
        case .contains, .endsWith, .startsWith, .join, .map, .maxBy, .minBy, .sortBy: 2...2
        case .add, .subtract, .multiply, .divide, .pow: 2...2
        case .insertString: 3...3
        default: 1...1
        }
    }

    /// The message for a wrong number of arguments.
    var arityMessage: String {
        switch arity {
        case 1...1: "\(rawValue)() takes one argument."
        case let arity where arity.upperBound == Int.max: "\(rawValue)() takes at least one argument."
        default: "\(rawValue)() takes \(arity.lowerBound) arguments."
        }
    }
}
