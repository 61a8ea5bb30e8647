import FHIR

/// Lays a response over its form: which item of the form each item is, and what does not fit.
struct ResponseReader {
    let form: Form
    private(set) var problems: [ResponseProblem] = []

    init(form: Form) { self.form = form }

    mutating func read(_ response: QuestionnaireResponse) -> [ItemState] {
        states(of: form.items, from: response["item"], at: "QuestionnaireResponse", parent: nil)
    }

    private mutating func states(
        of items: [FormItem], from json: JSON?, at expression: String, parent: FormItem?
    ) -> [ItemState] {
        var states = items.map { ItemState(empty: $0, withGroup: false) }
        var last = -1
        for (number, element) in (json?.array ?? []).enumerated() {
            let here = "\(expression).item[\(number)]"
            guard let item = QuestionnaireResponseItem(json: element), let linkID = item.linkId else {
                report("link-id-missing", here, nil, "An item of the response has no linkId.")
                continue
            }
            guard let index = items.firstIndex(where: { $0.linkID == linkID }) else {
                if form.item(linkID) != nil {
                    report("item-misplaced", here, linkID, "The item stands elsewhere in the form.")
                } else {
                    report("link-id-unknown", here, linkID, "The form has no item of this linkId.")
                }
                continue
            }
            if index < last { report("item-order", here, linkID, "The item comes later than the form has it.") }
            last = max(last, index)
            read(item, at: here, into: &states[index])
        }
        return states
    }

    private mutating func read(_ source: QuestionnaireResponseItem, at here: String, into state: inout ItemState) {
        let item = state.item
        let isRepetition = state.expression != nil
        if !isRepetition { state.expression = here }
        let answers = source["answer"]?.array ?? []
        switch item.type {
        case .display:
            if !answers.isEmpty { report("display-answered", here, item.linkID, "A display item takes no answer.") }
            if source["item"] != nil { report("item-misplaced", here, item.linkID, "A display item has no items.") }
        case .group:
            if !answers.isEmpty { report("group-answered", here, item.linkID, "A group takes items, not answers.") }
            if isRepetition, !item.repeats {
                report("repeats", here, item.linkID, "The group does not repeat, and stands here twice.")
            }
            state.groups.append(
                GroupState(
                    children: states(of: item.children, from: source["item"], at: here, parent: item), expression: here)
            )
        default:
            if isRepetition {
                report("item-repeated", here, item.linkID, "A question stands once, with all its answers in it.")
            }
            if source["item"] != nil {
                report(
                    "item-misplaced", here, item.linkID, "Items below a question stand in its answers, not beside them."
                )
            }
            for (number, element) in answers.enumerated() {
                read(answer: element, at: "\(here).answer[\(number)]", into: &state)
            }
        }
    }

    private mutating func read(answer element: JSON, at here: String, into state: inout ItemState) {
        let item = state.item
        guard let source = QuestionnaireResponseAnswer(json: element), let value = AnswerValue(source.value) else {
            report("answer-empty", here, item.linkID, "The answer has no value.")
            return
        }
        var answer = AnswerState(value, of: item, withGroups: false)
        answer.expression = here
        answer.children = states(of: item.children, from: source["item"], at: here, parent: item)
        state.answers.append(answer)
    }

    private mutating func report(_ code: String, _ expression: String, _ linkID: String?, _ message: String) {
        problems.append(ResponseProblem(code: code, expression: expression, linkID: linkID, message: message))
    }
}
