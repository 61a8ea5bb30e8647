import FHIR
import FHIRPath

/// The names that an expression of an extraction may use: `%resource`, `%questionnaire`, `%qitem`, allocated ids, and
/// the names of template contexts. Launch contexts and variables are out of reach
/// (<https://hl7.org/fhir/uv/sdc/extraction.html>).
struct ExtractionScope {
    /// The values of allocated ids and named contexts.
    var variables: [String: [FHIRPathValue]] = [:]
    /// The input of expressions; `%context` is the same.
    var input: [FHIRPathValue]
    /// The location for problems.
    var location: String
    /// The linkId for problems.
    var linkID: String?

    /// Returns the scope with another input.
    func on(_ input: [FHIRPathValue]) -> ExtractionScope {
        var scope = self
        scope.input = input
        return scope
    }
}

/// Evaluates the expressions of one operation. Each text is compiled once, and all share one budget.
struct ExpressionRunner {
    let context: FHIRPathContext
    let budget: StepBudget
    private var compiled: [String: Result<FHIRPathExpression, FHIRPathError>] = [:]
    /// Maximum number of compiled expressions that are stored.
    private static let cacheLimit = 10_000

    /// - Parameters:
    ///   - response: `%resource`.
    ///   - questionnaire: `%questionnaire`.
    ///   - now: the instant of `now()`, with the offset of the local time.
    init(response: JSONObject, questionnaire: JSONObject, now: DateTime, limits: OperationLimits) {
        var context = FHIRPathContext(now: now.start())
        context.offsetMinutes = now.offsetMinutes ?? 0
        context.resource = TypedElement(resource: response)
        context.variables = ["questionnaire": [.element(TypedElement(resource: questionnaire))]]
        context.limits.steps = limits.expressionSteps
        context.limits.items = 100_000
        self.context = context
        budget = StepBudget(steps: limits.steps)
    }

    /// Returns the value of an expression.
    ///
    /// - Throws: FHIRPath's error, also if the budget is exhausted.
    mutating func evaluate(
        _ text: String, in scope: ExtractionScope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        let expression = try self.expression(text)
        var context = context
        context.variables.merge(scope.variables) { _, inner in inner }
        return try expression.evaluate(on: scope.input, in: context, budget: budget)
    }

    private mutating func expression(_ text: String) throws(FHIRPathError) -> FHIRPathExpression {
        if let found = compiled[text] { return try found.get() }
        let result: Result<FHIRPathExpression, FHIRPathError>
        do throws(FHIRPathError) { result = .success(try FHIRPathExpression(text)) } catch { result = .failure(error) }
        if compiled.count < Self.cacheLimit { compiled[text] = result }
        return try result.get()
    }
}
