import Core

/// Reason why an expression could not be parsed or evaluated. The kinds of the specification keep its names
/// (<https://jmespath.org/specification.html#errors>).
public struct JMESPathError: CodedError, Hashable {
    /// Kind of error; the raw value is the stable code.
    public enum Kind: String, Sendable {
        /// The text is not an expression.
        case syntax
        /// An argument has a type that the function does not accept.
        case invalidType = "invalid-type"
        /// A function is given too few or too many arguments.
        case invalidArity = "invalid-arity"
        /// There is no function of this name.
        case unknownFunction = "unknown-function"
        /// A value has the right type but is invalid, such as a slice with a step of zero.
        case invalidValue = "invalid-value"
        /// A number was divided by zero.
        case divideByZero = "divide-by-zero"
        /// The result of arithmetic exceeds 64 bits.
        case overflow
        /// A position is outside of the text, or an instant is outside of the calendar.
        case outOfRange = "out-of-range"
        /// The expression is longer than ``QueryLimits/maximumLength``.
        case expressionTooLong = "expression-too-long"
        /// The expression is nested deeper than ``QueryLimits/maximumDepth``.
        case expressionTooDeep = "expression-too-deep"
        /// The evaluation takes more than ``QueryLimits/steps`` steps.
        case tooManySteps = "too-many-steps"
        /// The result has more than ``QueryLimits/values`` values.
        case resultTooLarge = "result-too-large"
    }

    /// The kind of error.
    public let kind: Kind
    /// A sentence for people. It contains names of functions and types, never values of the document.
    public let message: String
    /// The offset in the expression, in bytes from 0; nil if the error has no position.
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
