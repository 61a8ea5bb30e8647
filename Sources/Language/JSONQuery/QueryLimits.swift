/// Limits of an expression and of one evaluation. For any expression and document, an evaluation ends within the
/// limits, or with an error that names the exceeded limit.
public struct QueryLimits: Sendable, Hashable {
    /// Maximum length of an expression in bytes.
    public var maximumLength = 10_000
    /// Maximum nesting of the parts of an expression, and maximum number of steps of a path.
    public var maximumDepth = 100
    /// Maximum number of steps of an evaluation. A step is the evaluation of one part of the expression, one value that
    /// is read or appended to an array, or sixteen bytes of text that are read or written.
    public var steps = 2_000_000
    /// Maximum number of values of a result, including those inside of arrays and objects.
    public var values = 500_000

    /// Creates the default limits.
    public init() {}
}

/// Limit that an evaluation exceeds.
enum LimitFault: String {
    case length = "expression-too-long"
    case depth = "expression-too-deep"
    case steps = "too-many-steps"
    case values = "result-too-large"
    case nesting = "document-too-deep"

    /// A sentence for people.
    func message(_ limits: QueryLimits) -> String {
        switch self {
        case .length: "The expression has more than \(limits.maximumLength) bytes."
        case .depth: "The parts of the expression are nested deeper than \(limits.maximumDepth) levels."
        case .steps: "The evaluation takes more than \(limits.steps) steps: narrow the query or use a smaller document."
        case .values: "The result has more than \(limits.values) values: narrow the query."
        case .nesting: "The document is nested too deeply for the expression."
        }
    }
}
