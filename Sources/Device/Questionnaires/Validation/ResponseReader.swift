import FHIR

/// Matches the items of a response with the items of its form, and reports those that do not fit.
struct ResponseReader {
    let form: QuestionnaireForm
    private(set) var problems: [ResponseProblem] = []

    init(form: QuestionnaireForm) { self.form = form }

    mutating func read(_ response: QuestionnaireResponse) -> [ItemState] {
        states(of: form.items, from: response["item"], at: "QuestionnaireResponse")
    }

    private mutating func states(of items: [FormItem], from json: JSON?, at expression: String) -> [ItemState] {
        var states = items.map { ItemState(empty: $0, withGroup: false) }
        guard let json else { return states }
        guard let elements = json.array else {
            report(
                "response-malformed", at: "\(expression).item", linkID: nil, message: "The member item must be a list.")
            return states
        }
        var last = -1
        for (number, element) in elements.enumerated() {
            let here = "\(expression).item[\(number)]"
            guard let item = QuestionnaireResponse.Item(json: element) else {
                report("response-malformed", at: here, linkID: nil, message: "An item must be an object.")
                continue
            }
            guard let linkID = item.linkId else {
                report("link-id-missing", at: here, linkID: nil, message: "An item of the response has no linkId.")
                continue
            }
            guard let index = states.index(of: linkID, in: form) else {
                if form.item(linkID) != nil {
                    report(
                        "item-misplaced", at: here, linkID: linkID, message: "The item is at another path in the form.")
                } else {
                    report("link-id-unknown", at: here, linkID: linkID, message: "The form has no item of this linkId.")
                }
                continue
            }
            if index < last {
                report(
                    "item-order", at: here, linkID: linkID,
                    message: "The item follows one that comes later in the form.")
            }
            last = max(last, index)
            read(item, at: here, into: &states[index])
        }
        return states
    }

    private mutating func read(_ source: QuestionnaireResponse.Item, at here: String, into state: inout ItemState) {
        let item = state.item
        let isRepetition = state.expression != nil
        if !isRepetition { state.expression = here }
        if let asked = source.text, let text = item.text, asked != text {
            report(
                "item-text", at: here, linkID: item.linkID, message: "The item's text differs from the form's.",
                severity: .warning)
        }
        let answers = answers(of: source, at: here, item)
        switch item.type {
        case .display:
            if !answers.isEmpty {
                report("display-answered", at: here, linkID: item.linkID, message: "A display item takes no answer.")
            }
            if source["item"] != nil {
                report("item-misplaced", at: here, linkID: item.linkID, message: "A display item has no items.")
            }
        case .group:
            if !answers.isEmpty {
                report("group-answered", at: here, linkID: item.linkID, message: "A group takes items, not answers.")
            }
            if isRepetition, !item.repeats {
                report(
                    "repeats", at: here, linkID: item.linkID, message: "The group does not repeat, but occurs again.")
            }
            let children = states(of: item.children, from: source["item"], at: here)
            state.groups.append(GroupState(children: children, expression: here))
        default:
            if isRepetition {
                report(
                    "item-repeated", at: here, linkID: item.linkID,
                    message: "A question occurs once, with all its answers in it.")
            }
            if source["item"] != nil {
                report(
                    "item-misplaced", at: here, linkID: item.linkID,
                    message: "Items below a question belong inside its answers."
                )
            }
            for (number, element) in answers.enumerated() {
                read(answer: element, at: "\(here).answer[\(number)]", into: &state)
            }
        }
    }

    private mutating func answers(
        of source: QuestionnaireResponse.Item, at here: String, _ item: FormItem
    ) -> [JSON] {
        guard let answers = source["answer"] else { return [] }
        guard let elements = answers.array else {
            report(
                "response-malformed", at: here + ".answer", linkID: item.linkID,
                message: "The member answer must be a list.")
            return []
        }
        return elements
    }

    private mutating func read(answer element: JSON, at here: String, into state: inout ItemState) {
        let item = state.item
        guard let source = QuestionnaireResponse.Item.Answer(json: element), let value = AnswerValue(source.value)
        else {
            report("answer-empty", at: here, linkID: item.linkID, message: "The answer has no value.")
            return
        }
        let values = source.object.keys.count { key in
            key.hasPrefix("value") && key.dropFirst(5).first?.isUppercase ?? false
        }
        if values > 1 {
            report(
                "answer-malformed", at: here, linkID: item.linkID,
                message: "An answer has one value, but this one has several.")
        }
        let children = states(of: item.children, from: source["item"], at: here)
        state.answers.append(AnswerState(value, children: children, expression: here))
    }

    private mutating func report(
        _ code: String, at expression: String, linkID: String?, message: String,
        severity: FormProblem.Severity = .error
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: expression, linkID: linkID, message: message))
    }
}
