/// Bounds on an expression and on one evaluation of it. Whatever the expression and the document, an evaluation ends
/// within them, or with an error that names the bound.
public struct QueryLimits: Sendable, Hashable {
    /// The longest expression, in bytes.
    public var maximumLength = 10_000
    /// How many parts of an expression may stand inside of each other or, in a path, behind each other.
    public var maximumDepth = 100
    /// How many steps an evaluation may take. A step is a part of the expression that is evaluated, a value that is looked
    /// at or put into an array, or sixteen bytes of text that are read or written.
    public var steps = 2_000_000
    /// How many values a result may hold, those inside of arrays and objects counted.
    public var values = 500_000

    /// Makes the bounds that hold where nothing else is said.
    public init() {}
}

/// Why an evaluation cannot go on within its limits.
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
        case .steps: "The evaluation takes more than \(limits.steps) steps: ask for less, or of a smaller document."
        case .values: "The result has more than \(limits.values) values: ask for less."
        case .nesting: "The document is nested too deeply for the expression."
        }
    }
}
