import FHIR

/// The error that there is no response yet, with the problems that the answers still have.
public struct IncompleteResponse: CodedError, Hashable {
    /// All that is wrong, errors and warnings.
    public let problems: [ResponseProblem]

    public var code: String { "response-invalid" }

    public var message: String {
        let errors = problems.filter { $0.severity == .error }
        let first = errors.first.map { ": \($0.linkID ?? $0.expression): \($0.message)" } ?? "."
        return "The answers do not make a valid response (\(errors.count) errors)\(first)"
    }
}

extension FormSession {
    /// The finished response, checked (<https://hl7.org/fhir/R4/questionnaireresponse.html>).
    ///
    /// - Parameters:
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: with the person's offset, as `DateTime.now()` tells it.
    /// - Throws: ``IncompleteResponse`` where an answer is missing or wrong, or a subscript was given what it could not put
    ///   in. ``response(status:subject:authored:)`` makes a response whatever is wrong.
    public func completedResponse(subject: String?, authored: DateTime?) throws(IncompleteResponse)
        -> QuestionnaireResponse
    {
        let response = response(status: .completed, subject: subject, authored: authored)
        let problems = refused + ResponseValidator(form, rules: rules, now: clock()).problems(in: response)
        guard !problems.contains(where: { $0.severity == .error }) else { throw IncompleteResponse(problems: problems) }
        return response
    }
}
