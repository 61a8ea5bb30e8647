import Core

/// Why a path could not be read or evaluated.
public struct JSONPathError: CodedError, Hashable {
    /// The kinds of errors; the raw value is the stable code.
    public enum Kind: String, Sendable {
        /// The text is no path.
        case syntax
        /// An index of less than zero on an array; a slice counts from the end.
        case negativeIndex = "negative-index"
        /// The step of a slice is zero.
        case zeroStep = "zero-step"
        /// A comparison by size of values that have none in common, as of `true` and `1`, or of a number and a text that is
        /// no number.
        case notComparable = "not-comparable"
        /// A filter chose a member of an object, name and value together, which is no JSON value.
        case memberFound = "member-found"
        /// The pattern of `=~` is no regular expression.
        case invalidPattern = "invalid-pattern"
        /// The pattern of `=~` asks for what cannot be matched in linear time.
        case unsupportedPattern = "unsupported-pattern"
        /// The path is longer than ``QueryLimits/maximumLength``.
        case expressionTooLong = "expression-too-long"
        /// The path has more steps than ``QueryLimits/maximumDepth``, or more than 20 filters inside of each other.
        case expressionTooDeep = "expression-too-deep"
        /// The evaluation takes more than ``QueryLimits/steps``.
        case tooManySteps = "too-many-steps"
        /// More is found than ``QueryLimits/values``.
        case resultTooLarge = "result-too-large"
        /// The document is nested too deeply for the path.
        case documentTooDeep = "document-too-deep"
    }

    /// The kind of error.
    public let kind: Kind
    /// A sentence for people, which quotes no value of the document.
    public let message: String
    /// Where in the path, in Unicode scalars from 0; nil where no place is to blame.
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
