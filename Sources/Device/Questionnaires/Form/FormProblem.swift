/// A problem of a form.
public struct FormProblem: Sendable, Hashable {
    /// The severity of a problem.
    public enum Severity: String, Sendable {
        /// A rule is broken.
        case error
        /// The form is doubtful, but nothing is refused because of it.
        case warning
        /// The library does not check or support something.
        case information
    }

    /// The stable code.
    public let code: String
    /// The severity of the problem.
    public let severity: Severity
    /// The linkId of the item with the problem; nil for the form as a whole, nil or empty for an item without one.
    public let linkID: String?
    /// A sentence with the remedy.
    public let message: String

    /// The code for an item that another form's items must replace.
    package static let subQuestionnaireCode = "sub-questionnaire-not-assembled"
}
