/// A problem of a form.
public struct FormProblem: Sendable, Hashable {
    /// An error breaks a rule; a warning is doubtful; information says what is not done here.
    public enum Severity: String, Sendable { case error, warning, information }

    /// Stable.
    public let code: String
    public let severity: Severity
    public let linkID: String?
    /// A sentence that says what to do.
    public let message: String
}
