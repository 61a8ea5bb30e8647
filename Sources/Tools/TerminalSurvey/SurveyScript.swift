import Questionnaires

/// The texts and steps of a form in order, for the present answers.
struct SurveyScript {
    enum Line {
        case text(String)
        case step(SurveyDialogue.Step)
    }

    private(set) var lines: [Line] = []
    private let opened: Set<ItemPath>

    /// - Parameter opened: repeating groups that the person has begun without answers.
    init(_ session: FormSession, opened: Set<ItemPath>) {
        self.opened = opened
        visit(session.root, [], explained: [])
    }

    var steps: [SurveyDialogue.Step] {
        lines.compactMap { if case .step(let step) = $0 { step } else { nil } }
    }

    /// Returns the texts between the previous step and this one; without a step, those at the end.
    func texts(before step: SurveyDialogue.Step?) -> [String] {
        var texts: [String] = []
        for line in lines {
            switch line {
            case .text(let text): texts.append(text)
            case .step(let here):
                if here == step { return texts }
                texts.removeAll()
            }
        }
        return step == nil ? texts : []
    }

    private mutating func visit(_ states: [ItemState], _ above: [ItemPath.Step], explained: [FormItem]) {
        for state in states where state.isEnabled && !state.item.isHidden {
            let item = state.item
            let here = above + [ItemPath.Step(linkID: item.linkID)]
            switch item.type {
            case .display:
                if !explained.contains(where: { $0 === item }), let text = item.text { lines.append(.text(text)) }
            case .group: visit(group: state, here)
            default: visit(question: state, here)
            }
        }
    }

    private mutating func visit(question state: ItemState, _ here: [ItemPath.Step]) {
        let item = state.item
        if !item.isReadOnly, item.type != .question {
            lines.append(.step(.question(ItemPath(here))))
        } else if let text = item.text, !state.answers.isEmpty {
            lines.append(.text("\(text): \(state.answers.map(\.value.text).joined(separator: ", "))"))
        }
        var here = here
        for (index, answer) in state.answers.enumerated() {
            here[here.count - 1].instance = index
            let start = lines.count
            visit(answer.children, here, explained: item.explanations)
            if state.answers.count > 1, lines.count > start {
                lines.insert(.text("-- \(answer.value.text)"), at: start)
            }
        }
    }

    private mutating func visit(group state: ItemState, _ here: [ItemPath.Step]) {
        let item = state.item
        var here = here
        let isOpenEnded = item.repeats && !item.isReadOnly
        if isOpenEnded, !item.isRequired, state.groups.count == 1, !state.groups[0].hasAnswers,
            !opened.contains(ItemPath(here))
        {
            lines.append(.step(.repetition(ItemPath(here))))
            return
        }
        for (index, group) in state.groups.enumerated() {
            here[here.count - 1].instance = index
            if let text = item.text { lines.append(.text("== \(text)\(index > 0 ? " (\(index + 1))" : "")")) }
            visit(group.children, here, explained: [])
        }
        let maximum = min(item.limits.maxOccurs ?? FormSession.maximumInstances, FormSession.maximumInstances)
        if isOpenEnded, state.groups.count < maximum {
            here[here.count - 1].instance = state.groups.count
            lines.append(.step(.repetition(ItemPath(here))))
        }
    }
}
