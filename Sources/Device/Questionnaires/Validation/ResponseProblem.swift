import FHIR

/// A problem of a response, or of one answer. A session throws it if it cannot take an answer.
public struct ResponseProblem: CodedError, Hashable {
    /// The stable code.
    public let code: String
    /// The severity of the problem; only an error makes a response invalid.
    public let severity: FormProblem.Severity
    /// The location as FHIRPath: `QuestionnaireResponse.item[0].answer[1]`; for an answer that is not in a response,
    /// the path that was passed.
    public let expression: String
    /// The linkId of the item; nil if the problem concerns several items or an item that cannot be identified.
    public let linkID: String?
    /// A sentence with the remedy, which can be written in other languages. It contains no answer.
    public let sentence: Sentence

    /// The sentence in English.
    public var message: String { sentence.text }

    /// Creates a problem; by default it is an error.
    public init(
        code: String, severity: FormProblem.Severity = .error, expression: String, linkID: String?, message: String
    ) {
        self.init(
            code: code, severity: severity, expression: expression, linkID: linkID, sentence: Sentence(message))
    }

    /// Creates a problem with a sentence in several languages; by default it is an error.
    public init(
        code: String, severity: FormProblem.Severity = .error, expression: String, linkID: String?,
        sentence: Sentence
    ) {
        self.code = code
        self.severity = severity
        self.expression = expression
        self.linkID = linkID
        self.sentence = sentence
    }

    /// Returns the sentence in a language, otherwise in English.
    ///
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `de-CH`; nil for English.
    ///   - table: the sentences in other languages.
    public func message(in language: String?, from table: SentenceTable = .standard) -> String {
        sentence.text(in: language, from: table)
    }
}
