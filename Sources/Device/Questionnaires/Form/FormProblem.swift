/// A problem of a form.
public struct FormProblem: Sendable, Hashable {
    /// An error breaks a rule; a warning is doubtful; information says what is not done here.
    public enum Severity: String, Sendable {
        /// A rule is broken.
        case error
        /// Something is doubtful, and nothing is refused for it.
        case warning
        /// Something is not checked or not done here.
        case information
    }

    /// Stable.
    public let code: String
    /// How grave the problem is.
    public let severity: Severity
    /// The linkId of the item at fault; nil for the form as a whole, nil or empty for an item without one.
    public let linkID: String?
    /// A sentence that says what to do.
    public let message: String

    /// The code of an item in whose stead another form's items are to be put.
    package static let subQuestionnaireCode = "sub-questionnaire-not-assembled"
}
