/// What is wrong with a response.
public struct ResponseProblem: Sendable, Hashable {
    /// Stable.
    public let code: String
    public let severity: FormProblem.Severity
    /// Where, as FHIRPath: `QuestionnaireResponse.item[0].answer[1]`.
    public let expression: String
    public let linkID: String?
    /// A sentence that says what to do. It quotes no answer.
    public let message: String

    public init(
        code: String, severity: FormProblem.Severity = .error, expression: String, linkID: String?, message: String
    ) {
        self.code = code
        self.severity = severity
        self.expression = expression
        self.linkID = linkID
        self.message = message
    }
}
