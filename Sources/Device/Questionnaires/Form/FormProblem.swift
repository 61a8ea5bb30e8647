import Foundation

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
    /// A sentence with the remedy, which can be written in other languages.
    public let sentence: Sentence

    /// The sentence in English.
    public var message: String { sentence.text }

    package init(code: String, severity: Severity, linkID: String?, message: String) {
        self.init(code: code, severity: severity, linkID: linkID, sentence: Sentence(message))
    }

    package init(code: String, severity: Severity, linkID: String?, sentence: Sentence) {
        self.code = code
        self.severity = severity
        self.linkID = linkID
        self.sentence = sentence
    }

    /// Returns the sentence in a language, otherwise in English.
    ///
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `de-CH`; nil for English.
    ///   - table: the sentences in other languages.
    package func message(in language: String?, from table: SentenceTable) -> String {
        sentence.text(in: language, from: table)
    }

    /// The code for an item that another form's items must replace.
    package static let subQuestionnaireCode = "sub-questionnaire-not-assembled"
}
