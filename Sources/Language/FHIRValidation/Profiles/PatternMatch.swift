import FHIR

/// Fixed values and patterns
/// (<https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_>).
enum PatternMatch {
    /// Whether a value equals the fixed one: the same members, in any order, and numbers with the same digits.
    static func isEqual(_ value: JSON, _ fixed: JSON) -> Bool {
        switch (value, fixed) {
        case (.object(let left), .object(let right)):
            left.count == right.count
                && right.members.allSatisfy { member in left[member.key].map { isEqual($0, member.value) } ?? false }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
        default: value == fixed
        }
    }

    /// Whether a value contains everything in the pattern. Each element of a pattern's array must match an element of
    /// the value's array.
    static func matches(_ value: JSON, _ pattern: JSON) -> Bool {
        switch (value, pattern) {
        case (.object(let left), .object(let right)):
            right.members.allSatisfy { member in left[member.key].map { matches($0, member.value) } ?? false }
        case (.array(let left), .array(let right)):
            right.allSatisfy { wanted in left.contains { matches($0, wanted) } }
        case (.number(let left), .number(let right)):
            left == right || (left.decimal != nil && left.decimal == right.decimal)
        default: value == pattern
        }
    }
}
