import FHIR
import Questionnaires

/// A problem of an operation on a form: an assembly, an extraction, a population or a query.
///
/// An operation reports a problem and continues with the next item. Only an error makes the result incomplete.
public struct OperationProblem: CodedError, Hashable {
    /// The stable code.
    public let code: String
    /// The severity of the problem.
    public let severity: FormProblem.Severity
    /// The location as FHIRPath, in the form (`Questionnaire.item[0]`), in the response
    /// (`QuestionnaireResponse.item[0].answer[1]`) or in the template (`Questionnaire.contained[0].name`).
    public let expression: String
    /// The linkId of the item; nil if the problem concerns the whole form.
    public let linkID: String?
    /// A sentence with the remedy. It contains no answer.
    public let message: String

    /// Creates a problem; by default it is an error.
    public init(
        code: String, severity: FormProblem.Severity = .error, expression: String, linkID: String? = nil,
        message: String
    ) {
        self.code = code
        self.severity = severity
        self.expression = expression
        self.linkID = linkID
        self.message = message
    }
}

/// The distinct problems of one operation, in their order. Beyond a limit, only the latest is kept.
struct ProblemLog {
    private(set) var problems: [OperationProblem] = []
    /// Whether an error was reported.
    private(set) var hasErrors = false
    private var seen: Set<OperationProblem> = []
    /// Maximum number of problems of one operation.
    static let limit = 1_000

    mutating func report(_ problem: OperationProblem) {
        if problem.severity == .error { hasErrors = true }
        guard problems.count < Self.limit else {
            problems[Self.limit - 1] = problem
            return
        }
        if seen.insert(problem).inserted { problems.append(problem) }
    }

    mutating func report(
        _ code: String, severity: FormProblem.Severity = .error, at expression: String, linkID: String? = nil,
        _ message: String
    ) {
        report(
            OperationProblem(
                code: code, severity: severity, expression: expression, linkID: linkID, message: message))
    }
}
