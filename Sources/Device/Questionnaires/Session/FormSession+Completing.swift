import FHIR

/// An error for answers that do not make a complete response, with their problems.
public struct IncompleteResponse: CodedError, Hashable {
    /// All problems, errors and warnings.
    public let problems: [ResponseProblem]

    package init(problems: [ResponseProblem]) { self.problems = problems }

    public var code: String { "response-invalid" }

    public var message: String { message(in: nil) }

    /// Returns the message in a language, otherwise in English.
    ///
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `de-CH`; nil for English.
    ///   - table: the sentences in other languages.
    public func message(in language: String?, from table: SentenceTable = .standard) -> String {
        let errors = problems.filter { $0.severity == .error }
        let count: Sentence = "The answers do not make a valid response (\(errors.count) errors)."
        let text = count.text(in: language, from: table)
        guard let first = errors.first else { return text }
        return "\(text.dropLast()): \(first.linkID ?? first.expression): \(first.message(in: language, from: table))"
    }
}

extension FormSession {
    /// Returns the completed response after checking it (<https://hl7.org/fhir/R4/questionnaireresponse.html>).
    ///
    /// - Parameters:
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: the time with the person's offset, as `DateTime.now()` returns it.
    /// - Throws: ``IncompleteResponse`` if an answer is missing or wrong, or if a subscript could not enter a value.
    ///   ``response(status:subject:authored:)`` returns a response in spite of problems.
    public func completedResponse(subject: String?, authored: DateTime?) throws(IncompleteResponse)
        -> QuestionnaireResponse
    {
        var session = self
        // Values that depend on the time are those of the time of authoring, with which others check it.
        if let authored { session.state.settleAgain(at: authored) }
        let response = session.response(status: .completed, subject: subject, authored: authored)
        let validator = ResponseValidator(form, rules: rules, context: context, now: clock())
        let problems = refused + validator.problems(in: response)
        guard !problems.contains(where: { $0.severity == .error }) else { throw IncompleteResponse(problems: problems) }
        return response
    }

    /// Returns the completed response without checking it. Values that depend on the time are those of the time of authoring.
    package func finalResponse(subject: String? = nil, authored: DateTime) -> QuestionnaireResponse {
        var session = self
        session.state.settleAgain(at: authored)
        return session.response(status: .completed, subject: subject, authored: authored)
    }
}
