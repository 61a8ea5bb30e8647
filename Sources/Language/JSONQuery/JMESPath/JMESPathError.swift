import Core

/// Why an expression could not be read or evaluated. The kinds of the specification keep its names
/// (<https://jmespath.org/specification.html#errors>).
public struct JMESPathError: CodedError, Hashable {
    /// The kinds of errors; the raw value is the stable code.
    public enum Kind: String, Sendable {
        /// The text is no expression.
        case syntax
        /// An argument has a type that the function does not take.
        case invalidType = "invalid-type"
        /// A function is given too few or too many arguments.
        case invalidArity = "invalid-arity"
        /// There is no function of this name.
        case unknownFunction = "unknown-function"
        /// A value is of the right type and cannot be worked with, as a slice's step of zero.
        case invalidValue = "invalid-value"
        /// A number was divided by zero.
        case divideByZero = "divide-by-zero"
        /// The result of arithmetic is beyond 64 bits.
        case overflow
        /// A position lies outside of the text, or an instant outside of the calendar.
        case outOfRange = "out-of-range"
        /// The expression is longer than ``QueryLimits/maximumLength``.
        case expressionTooLong = "expression-too-long"
        /// The expression is nested deeper than ``QueryLimits/maximumDepth``.
        case expressionTooDeep = "expression-too-deep"
        /// The evaluation takes more than ``QueryLimits/steps``.
        case tooManySteps = "too-many-steps"
        /// The result has more than ``QueryLimits/values``.
        case resultTooLarge = "result-too-large"
    }

    /// The kind of error.
    public let kind: Kind
    /// A sentence for people. It names functions and types, never values of the document.
    public let message: String
    /// Where in the expression, in bytes from 0; nil where no place is to blame.
    public let offset: Int?

    /// The stable code, such as `invalid-type`.
    public var code: String { kind.rawValue }

    init(_ kind: Kind, _ message: String, at offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    init(_ fault: LimitFault, _ limits: QueryLimits) {
        let kind: Kind =
            switch fault {
            case .length: .expressionTooLong
            case .depth, .nesting: .expressionTooDeep
            case .steps: .tooManySteps
            case .values: .resultTooLarge
            }
        self.init(kind, fault.message(limits))
    }
}
