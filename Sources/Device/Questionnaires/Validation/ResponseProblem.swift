import FHIR

/// A problem of a response, or of one answer. A session throws it where it cannot take an answer.
public struct ResponseProblem: CodedError, Hashable {
    /// Stable.
    public let code: String
    /// How grave the problem is; only an error makes a response invalid.
    public let severity: FormProblem.Severity
    /// Where, as FHIRPath: `QuestionnaireResponse.item[0].answer[1]`; of an answer that is not in a response the path that
    /// it was given.
    public let expression: String
    /// The linkId of the item that it concerns; nil where it concerns no single item or none that can be named.
    public let linkID: String?
    /// A sentence that says what to do. It quotes no answer.
    public let message: String

    /// Makes a problem; an error where no severity is given.
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
