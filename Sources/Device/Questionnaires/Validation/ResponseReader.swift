import FHIR

/// Matches the items of a response with the items of its form, and reports those that do not fit.
struct ResponseReader {
    /// The state that gets the answers.
    var state: SessionState
    private(set) var problems: [ResponseProblem] = []

    init(_ state: SessionState) { self.state = state }

    mutating func read(_ response: QuestionnaireResponse) {
        let root = state.makeBlock(below: -1, slot: 0, hasInitial: false, hasGroups: false)
        read(response["item"], into: root, below: -1, at: "QuestionnaireResponse")
    }

    private mutating func read(
        _ json: JSON?, into block: Int, below parent: Int, at expression: @autoclosure () -> String
    ) {
        guard let json else { return }
        guard let elements = json.array else {
            report(
                "response-malformed", at: "\(expression()).item", linkID: nil,
                message: "The member item must be a list.")
            return
        }
        let above = expression()
        var last = -1
        for (number, element) in elements.enumerated() {
            func here() -> String { "\(above).item[\(number)]" }
            guard let item = QuestionnaireResponse.Item(json: element) else {
                report("response-malformed", at: here(), linkID: nil, message: "An item must be an object.")
                continue
            }
            guard let linkID = item.linkId else {
                report("link-id-missing", at: here(), linkID: nil, message: "An item of the response has no linkId.")
                continue
            }
            guard block >= 0, let position = state.position(of: linkID, below: parent) else {
                if state.form.item(linkID) != nil {
                    report(
                        "item-misplaced", at: here(), linkID: linkID,
                        message: "The item is at another path in the form.")
                } else {
                    report(
                        "link-id-unknown", at: here(), linkID: linkID, message: "The form has no item of this linkId.")
                }
                continue
            }
            if position < last {
                report(
                    "item-order", at: here(), linkID: linkID,
                    message: "The item follows one that comes later in the form.")
            }
            last = max(last, position)
            read(item, number: number, into: block + position, at: here())
        }
    }

    private mutating func read(_ source: QuestionnaireResponse.Item, number: Int, into node: Int, at here: String) {
        let item = state.nodes[node].item
        let isRepetition = !state.nodes[node].sources.isEmpty
        state.nodes[node].sources.append(number)
        if let asked = source.text, let text = item.text, asked != text, item.expressions?.text == nil,
            !item.translations.contains(asked)
        {
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
            let block = makeBlock(below: node)
            read(source["item"], into: block, below: node, at: here)
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
                read(answer: element, into: node, at: "\(here).answer[\(number)]")
            }
        }
        state.loaded(node)
    }

    /// Creates the block below the next instance or answer of a node.
    private mutating func makeBlock(below node: Int) -> Int {
        let slot = state.nodes[node].blocks.count
        state.nodes[node].blocks.append(-1)
        let block = state.makeBlock(below: node, slot: slot, hasInitial: false, hasGroups: false)
        state.nodes[node].blocks[slot] = block
        return block
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

    private mutating func read(answer element: JSON, into node: Int, at here: String) {
        let item = state.nodes[node].item
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
        state.nodes[node].answers.append(value)
        let block = makeBlock(below: node)
        read(source["item"], into: block, below: node, at: here)
    }

    private mutating func report(
        _ code: String, at expression: String, linkID: String?, message: Sentence,
        severity: FormProblem.Severity = .error
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: expression, linkID: linkID, sentence: message))
    }
}
