import FHIR

/// A compiled FHIRPath expression (<https://hl7.org/fhirpath/N1/>, <https://hl7.org/fhir/R4/fhirpath.html>): immutable,
/// compiled once and evaluated many times, from any thread.
///
/// ```swift
/// let names = try FHIRPathExpression("name.where(use = 'official').family")
/// let found = try names.evaluate(TypedElement(resource: patient))
/// ```
public struct FHIRPathExpression: Sendable, CustomStringConvertible {
    /// Limits for the text of an expression.
    public struct Options: Sendable {
        /// Maximum length in bytes.
        public var maximumLength = 100_000
        /// Maximum nesting of parentheses, arguments and operators.
        public var maximumDepth = 100

        /// Creates the default limits.
        public init() {}
    }

    /// The text as written.
    public let source: String
    let node: ExpressionNode

    /// Compiles an expression.
    ///
    /// - Throws: ``FHIRPathError`` of kind syntax, semantic (an unknown function, a wrong number of arguments) or
    ///   limit.
    public init(_ source: String, options: Options = Options()) throws(FHIRPathError) {
        guard source.utf8.count <= options.maximumLength else {
            throw FHIRPathError(
                .limit, code: "expression-length",
                message: "The expression has more than \(options.maximumLength) bytes.")
        }
        var parser = try Parser(source, maximumDepth: options.maximumDepth)
        node = try parser.expression()
        self.source = source
    }

    init(source: String, node: ExpressionNode) {
        self.source = source
        self.node = node
    }

    public var description: String { source }

    /// Evaluates the expression on an element. Returns the items that it finds.
    ///
    /// - Throws: ``FHIRPathError`` of kind semantic, execution or limit.
    public func evaluate(
        _ element: TypedElement, in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        try result(.one(.element(element)), context).array
    }

    /// Evaluates the expression on a collection, which may be empty. Returns the items that it finds.
    public func evaluate(
        on input: [FHIRPathValue], in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        try result(Items(input), context).array
    }

    /// Evaluates the expression on a collection and takes its steps from a budget.
    ///
    /// - Throws: ``FHIRPathError``, also if the budget is exhausted.
    public func evaluate(
        on input: [FHIRPathValue], in context: FHIRPathContext, budget: StepBudget
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        let items = Items(input)
        var context = context
        context.limits.steps = min(context.limits.steps, budget.remaining)
        var evaluator = Evaluator(context, root: items, budget: budget)
        defer { budget.spend(evaluator.spent) }
        return try evaluator.evaluate(node, on: items, in: Evaluator.Scope(this: items)).array
    }

    private func result(_ input: Items, _ context: FHIRPathContext) throws(FHIRPathError) -> Items {
        var evaluator = Evaluator(context, root: input)
        return try evaluator.evaluate(node, on: input, in: Evaluator.Scope(this: input))
    }

    /// Evaluates a constraint: nil for no item; a single item that is not a boolean counts as true
    /// (<https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections>).
    ///
    /// - Throws: ``FHIRPathError``, also for several items.
    public func evaluateBoolean(
        _ element: TypedElement, in context: FHIRPathContext = FHIRPathContext()
    ) throws(FHIRPathError) -> Bool? {
        try evaluateBoolean(element, in: context, budget: .unlimited)
    }

    /// Evaluates a constraint and takes its steps from a budget.
    ///
    /// - Throws: ``FHIRPathError``, also for several items, and if the budget is exhausted.
    public func evaluateBoolean(
        _ element: TypedElement, in context: FHIRPathContext, budget: StepBudget
    ) throws(FHIRPathError) -> Bool? {
        let input = Items.one(.element(element))
        var context = context
        context.limits.steps = min(context.limits.steps, budget.remaining)
        var evaluator = Evaluator(context, root: input, budget: budget)
        defer { budget.spend(evaluator.spent) }
        let result = try evaluator.evaluate(node, on: input, in: Evaluator.Scope(this: input))
        return try evaluator.boolean(result, "A constraint")
    }
}
