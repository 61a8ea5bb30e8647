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
        response.questionnaire = form.canonical
        response.status = status
        response.subject = subject.map { Reference($0) }
        response.authored = authored
        response.item = Self.items(root)
        return response
    }

    private static func items(_ states: [ItemState]) -> [QuestionnaireResponse.Item] {
        states.filter(\.isEnabled).flatMap { state -> [QuestionnaireResponse.Item] in
            switch state.item.type {
            case .display: return []
            case .group:
                return state.groups.compactMap { group in
                    let children = items(group.children)
                    guard !children.isEmpty else { return nil }
                    var item = newItem(state.item)
                    item.item = children
                    return item
                }
            default:
                guard !state.answers.isEmpty else { return [] }
                var item = newItem(state.item)
                item.answer = state.answers.map { answer in
                    var output = QuestionnaireResponse.Item.Answer()
                    output.value = answer.value
                    output.item = items(answer.children)
                    return output
                }
                return [item]
            }
        }
    }

    private static func newItem(_ item: FormItem) -> QuestionnaireResponse.Item {
        var output = QuestionnaireResponse.Item(linkId: item.linkID)
        output.text = item.text
        return output
    }
}
