import Core

/// Reason why a path could not be parsed or evaluated.
public struct JSONPathError: CodedError, Hashable {
    /// Kind of error; the raw value is the stable code.
    public enum Kind: String, Sendable {
        /// The text is not a path.
        case syntax
        /// A negative index of an array; only a slice counts from the end.
        case negativeIndex = "negative-index"
        /// The step of a slice is zero.
        case zeroStep = "zero-step"
        /// An ordering comparison of values without a common order, such as `true` and `1`, or a number and a text that
        /// is not a number.
        case notComparable = "not-comparable"
        /// A filter selected a member of an object (name and value), which is not a JSON value.
        case memberFound = "member-found"
        /// The pattern of `=~` is not a regular expression.
        case invalidPattern = "invalid-pattern"
        /// The pattern of `=~` contains a construct that cannot be matched in linear time.
        case unsupportedPattern = "unsupported-pattern"
        /// The path is longer than ``QueryLimits/maximumLength``.
        case expressionTooLong = "expression-too-long"
        /// The path has more steps than ``QueryLimits/maximumDepth``, or more than 20 nested filters.
        case expressionTooDeep = "expression-too-deep"
        /// The evaluation takes more than ``QueryLimits/steps`` steps.
        case tooManySteps = "too-many-steps"
        /// The result has more than ``QueryLimits/values`` values.
        case resultTooLarge = "result-too-large"
        /// The document is nested too deeply for the path.
        case documentTooDeep = "document-too-deep"
    }

    /// The kind of error.
    public let kind: Kind
    /// A sentence for people. It never contains values of the document.
    public let message: String
    /// The offset in the path, in Unicode scalars from 0; nil if the error has no position.
    public let offset: Int?

    /// The stable code, such as `not-comparable`.
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
            case .depth: .expressionTooDeep
            case .steps: .tooManySteps
            case .values: .resultTooLarge
            case .nesting: .documentTooDeep
            }
        self.init(kind, fault.message(limits))
    }
}
