import FHIR
import Foundation

extension FormSession {
    /// Returns the current response: the enabled, answered items in the form's order, and numbers with the digits that
    /// were entered (<https://hl7.org/fhir/R4/questionnaireresponse.html>).
    ///
    /// - Parameters:
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: the time with the person's offset, as `DateTime.now()` returns it.
    public func response(
        status: QuestionnaireAnswersStatus = .completed, subject: String? = nil, authored: DateTime? = nil
    ) -> QuestionnaireResponse {
        var response = QuestionnaireResponse(JSONObject(resourceType: QuestionnaireResponse.resourceType))
        response.language = form.language
        response.questionnaire = form.canonical
        response.status = status
        response.subject = subject.map { Reference($0) }
        response.authored = authored
        var cache = EvaluationCache()
        let items =
            state.nodes.isEmpty ? [] : state.rendered(block: 0, below: -1, weights: false, cache: &cache)
        response.item = items.compactMap { QuestionnaireResponse.Item(json: $0) }
        return response
    }
}
