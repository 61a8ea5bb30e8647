import FHIR

/// An error for answers that do not make a complete response, with their problems.
public struct IncompleteResponse: CodedError, Hashable {
    /// All problems, errors and warnings.
    public let problems: [ResponseProblem]

    public var code: String { "response-invalid" }

    public var message: String {
        let errors = problems.filter { $0.severity == .error }
        let first = errors.first.map { ": \($0.linkID ?? $0.expression): \($0.message)" } ?? "."
        return "The answers do not make a valid response (\(errors.count) errors)\(first)"
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
        let response = response(status: .completed, subject: subject, authored: authored)
        let problems = refused + ResponseValidator(form, rules: rules, now: clock()).problems(in: response)
        guard !problems.contains(where: { $0.severity == .error }) else { throw IncompleteResponse(problems: problems) }
        return response
    }
}
