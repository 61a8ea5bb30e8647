import Core

/// The steps of a path, or of a path inside of a filter.
struct JSONPathRoute: Sendable {
    /// One step from the present values to the next ones.
    enum Step: Sendable {
        /// `$` inside of a filter.
        case root
        /// `.name`; nil for `.*`, the values of an object's members.
        case member(WantedName?)
        /// `['a','b']`
        case members([WantedName])
        /// `..name`; nil for `..*`.
        case descent(WantedName?)
        /// `..['a','b']`
        case descentMembers([WantedName])
        /// `[0]`
        case index(Int)
        /// `[0,1]`
        case indexes([Int])
        /// `[0:3:1]`
        case slice(start: Int?, end: Int?, step: Int)
        /// `[*]`, the elements of an array.
        case elements
        /// `[?(...)]`, on the children of an array or an object.
        case filter(JSONPathCondition)
        /// `..[?(...)]`, on a value and all its descendants.
        case descentFilter(JSONPathCondition)
    }

    var steps: [Step] = []

    /// Whether a slice has a step of zero, so that every evaluation fails.
    var hasZeroStep: Bool {
        steps.contains { if case .slice(_, _, 0) = $0 { true } else { false } }
    }
}

/// The condition of a filter.
indirect enum JSONPathCondition: Sendable {
    enum Comparison: Sendable {
        case equal, notEqual, strictlyEqual, strictlyNotEqual, less, lessOrEqual, greater, greaterOrEqual, matches
    }

    case all([JSONPathCondition])
    case any([JSONPathCondition])
    case exists(Operand)
    case comparison(Comparison, Operand, Operand)

    /// One side of a comparison.
    enum Operand: Sendable {
        case route(JSONPathRoute)
        case literal(JSONPathScalar)
    }

    /// A comparison of a member of the value with a number.
    struct MemberTest {
        let name: WantedName
        let comparison: Comparison
        let number: JSONNumber
        let scalar: JSONPathScalar
    }

    /// The comparison, if the condition compares a member with a number.
    var memberTest: MemberTest? {
        guard case .comparison(let comparison, .route(let route), .literal(let scalar)) = self,
            comparison != .matches, case .number(let number, _) = scalar,
            route.steps.count == 1, case .member(let name?) = route.steps[0]
        else { return nil }
        return MemberTest(name: name, comparison: comparison, number: number, scalar: scalar)
    }
}

extension JSONPathCondition.Comparison {
    /// Whether the comparison is true for an order of two numbers: negative if the first is less, zero if they are
    /// equal.
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal, .strictlyEqual: order == 0
        case .notEqual, .strictlyNotEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .matches: false
        }
    }
}

/// A value that can be compared: from a document or from a path.
enum JSONPathScalar: Sendable {
    /// Type of a number, which decides how a text is converted for a comparison with it.
    enum Kind: Sendable {
        /// Without point and exponent.
        case integer
        /// With a point or an exponent, in the document.
        case decimal
        /// With a point or an exponent, in the path.
        case binary
    }

    case null
    case bool(Bool)
    case number(JSONNumber, Kind)
    case text(String)
    /// A pattern of the path; its value is its text.
    case pattern(CompiledPattern)

    /// A pattern that is compiled with its path, or its error, which is thrown only if the pattern is used.
    final class CompiledPattern: Sendable {
        let text: String
        let result: Result<JSONPathPattern, JSONPathError>

        init(_ text: String) {
            self.text = text
            result = Result { () throws(JSONPathError) in try JSONPathPattern(delimited: text) }
        }
    }

    /// Creates the scalar of a document's value; nil for an array and an object.
    init?(_ value: JSON) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = .number(number, number.isWrittenWhole ? .integer : .decimal)
        case .string(let text): self = .text(text)
        case .array, .object: return nil
        }
    }

    /// The text; nil for other scalars.
    var text: String? {
        switch self {
        case .text(let text): text
        case .pattern(let pattern): pattern.text
        default: nil
        }
    }
}

extension JSONNumber {
    /// Whether the number is written without point and exponent.
    fileprivate var isWrittenWhole: Bool {
        !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    }
}
