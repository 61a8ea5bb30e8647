import FHIR
import Foundation

extension FormSession {
    /// The response as it stands: the enabled, answered items in the form's order; numbers as they were entered
    /// (<https://hl7.org/fhir/R4/questionnaireresponse.html>).
    ///
    /// - Parameters:
    ///   - subject: a reference such as `Patient/x`.
    ///   - authored: with the person's offset, as `DateTime.now()` tells it.
    public func response(
        status: String = "completed", subject: String? = nil, authored: DateTime? = nil
    ) -> QuestionnaireResponse {
        var response = QuestionnaireResponse(id: nil)
        response.questionnaire = form.canonical
        response.status = status
        response.subject = subject.map { Reference($0) }
        response.authored = authored
        response.item = Self.items(root)
        return response
    }

    private static func items(_ states: [ItemState]) -> [QuestionnaireResponseItem] {
        states.filter(\.isEnabled).flatMap { state -> [QuestionnaireResponseItem] in
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
                    var output = QuestionnaireResponseAnswer()
                    output["value" + answer.value.type] = answer.value.json
                    output.item = items(answer.children)
                    return output
                }
                return [item]
            }
        }
    }

    private static func newItem(_ item: FormItem) -> QuestionnaireResponseItem {
        var output = QuestionnaireResponseItem()
        output.linkId = item.linkID
        output.label = item.text
        return output
    }
}
