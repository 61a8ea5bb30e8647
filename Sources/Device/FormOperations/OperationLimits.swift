/// Limits of one operation on a form, so that it ends in bounded time and memory.
public struct OperationLimits: Sendable {
    /// Maximum number of steps of all expressions, and of elements that are read or written.
    public var steps = 50_000_000
    /// Maximum number of steps of one expression.
    public var expressionSteps = 5_000_000
    /// Maximum number of resources of an extraction, and of resources that a query returns.
    public var resources = 10_000
    /// Maximum number of items of an assembled form.
    public var items = 500_000
    /// Maximum number of sub-forms of an assembled form.
    public var forms = 10_000
    /// Maximum size of an assembled form as JSON, in bytes.
    public var bytes = 200_000_000
    /// Maximum nesting of items.
    public var depth = 100

    /// Creates the default limits.
    public init() {}
}
