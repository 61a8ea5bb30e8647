import FHIR
import Questionnaires

/// The values of one item at a path.
extension FormSession {
    // MARK: Notes

    /// Whether an item is not an element of its own: it belongs to the question, group or form that it is in.
    func isNote(_ item: FormItem) -> Bool {
        if isHeading(item) { return true }
        guard item.type == .display, let parent = item.ancestors.last.map({ form.all[$0] }) else { return false }
        if parent.isQuestion { return item.conditions.isEmpty && !(item.hints?.hasEnablementExpression ?? false) }
        return RenderRole(item.hints) != .inline
    }

    /// Whether an item is the header or footer of the form or of a group: a display item, or a group without questions.
    private func isHeading(_ item: FormItem) -> Bool {
        guard [.header, .footer].contains(RenderRole(item.hints)) else { return false }
        return !hasQuestions(item)
    }

    private func hasQuestions(_ item: FormItem) -> Bool {
        item.isQuestion || item.children.contains(where: hasQuestions)
    }

    /// Returns the notes of the items below a path.
    func notes(_ items: [FormItem], below above: [ItemPath.Step]) -> [RenderPlan.Note] {
        guard items.contains(where: isNote) else { return [] }
        return items.filter { isNote($0) && !$0.isHidden }.flatMap { item -> [RenderPlan.Note] in
            let path = ItemPath(above + [ItemPath.Step(linkID: item.linkID)])
            // Below a question without an answer there are no states; its notes are shown with the question.
            guard item.conditions.isEmpty || isEnabled(path) else { return [] }
            return texts(item, at: path).map { RenderPlan.Note(role: RenderRole(item.hints), text: $0) }
        }
    }

    /// Returns the text of an item and of the items inside.
    private func texts(_ item: FormItem, at path: ItemPath) -> [RenderText] {
        let own = renderText(item, at: path).map { [$0] } ?? []
        return own
            + item.children.filter { !$0.isHidden }.flatMap { child in
                texts(child, at: ItemPath(path.steps + [ItemPath.Step(linkID: child.linkID)]))
            }
    }

    // MARK: Elements

    /// Returns the element of an item; nil for a display item without a text.
    package func element(of visit: RenderVisit) -> RenderPlan.Element? {
        let (item, path, state) = (visit.item, visit.path, visit.state)
        switch visit.kind {
        case .section: return .section(section(item, at: path, state))
        case .text: return display(item, at: path, isEnabled: state.isEnabled).map { .text($0) }
        case .answer(let answer):
            let text = item.label(of: answer, in: form.language)
            return .answer(RenderPlan.AnswerHeading(path: path, answer: answer, text: text))
        case .question: return .question(question(item, at: path, state))
        case .repetition: return .repetition(repetition(item, at: path))
        }
    }

    /// Returns the question at a path; nil if the session has none there.
    package func renderedQuestion(at path: ItemPath) -> RenderPlan.Question? {
        guard let state = renderState(at: path), let linkID = path.steps.last?.linkID,
            let item = form.item(linkID), item.isQuestion
        else { return nil }
        return question(item, at: path, state)
    }

    /// Returns the number of a question among those that the person can answer, from 1, and their count.
    package func questionNumber(of path: ItemPath, scope: RenderScope) -> (number: Int, count: Int) {
        var (number, count) = (0, 0)
        for visit in RenderWalk(self, scope: scope) where visit.isAnswerable {
            count += 1
            if visit.path == path { number = count }
        }
        return (number, count)
    }

    /// Returns the current text of an item at a path.
    package func currentText(of item: FormItem, at path: ItemPath) -> String? { text(of: item, at: path) }

    /// Returns the current options of a question at a path, followed by the answers that the form suggests.
    package func currentOptions(of item: FormItem, at path: ItemPath) -> [FormOption] {
        let options = options(of: item, at: path) ?? []
        return options + suggestions(of: item, beyond: options, at: path)
    }

    /// The texts at the top or the bottom of each page of the form.
    package func formTexts(_ role: RenderRole) -> [RenderText] {
        notes(form.items, below: []).filter { $0.role == role }.map(\.text)
    }

    private func renderText(_ item: FormItem, at path: ItemPath) -> RenderText? {
        let text = text(of: item, at: path)
        return text.map { RenderText($0, rendering: item.hints?.text, isOfForm: $0 == item.text) }
    }

    private func prefix(_ item: FormItem) -> RenderText? {
        item.prefix.map { RenderText($0, rendering: item.hints?.prefix) }
    }

    /// Nil if the item has no text.
    private func display(_ item: FormItem, at path: ItemPath, isEnabled: Bool) -> RenderPlan.Display? {
        renderText(item, at: path).map {
            RenderPlan.Display(
                path: path, linkID: item.linkID, text: $0, prefix: prefix(item), isEnabled: isEnabled,
                hints: item.hints ?? RenderHints())
        }
    }

    private func repetition(_ item: FormItem, at path: ItemPath) -> RenderPlan.Repetition {
        RenderPlan.Repetition(path: path, linkID: item.linkID, text: renderText(item, at: path))
    }

    private func section(_ item: FormItem, at path: ItemPath, _ state: RenderState) -> RenderPlan.Section {
        RenderPlan.Section(
            path: path, linkID: item.linkID, text: renderText(item, at: path), prefix: prefix(item),
            control: RenderGroupControl(hints: item.hints?.controls ?? []),
            notes: notes(item.children, below: path.steps),
            isRequired: item.isRequired, repeats: item.repeats,
            canRemove: item.repeats && !item.isReadOnly && state.instances.count > 1, isEnabled: state.isEnabled,
            hints: item.hints ?? RenderHints())
    }

    private func question(_ item: FormItem, at path: ItemPath, _ state: RenderState) -> RenderPlan.Question {
        let hints = item.hints ?? RenderHints()
        let offered = options(of: item, at: path) ?? []
        let suggested = suggestions(of: item, beyond: offered, at: path)
        let options = (offered + suggested).map { option -> RenderPlan.Option in
            let hint = hints.options[option.value]
            return RenderPlan.Option(
                value: option.value,
                text: RenderText(
                    option.label, rendering: hint?.rendering, isOfForm: option.label == option.value.text),
                prefix: option.prefix, isExclusive: option.isExclusive,
                isSelected: state.answers.contains { $0.equals(option.value) }, media: hint?.media,
                cells: option.cells)
        }
        let labels = state.answers.map { answer in
            options.first { answer.equals($0.value) }?.text.plain ?? item.label(of: answer, in: form.language)
        }
        return RenderPlan.Question(
            path: path, linkID: item.linkID, type: item.type, text: renderText(item, at: path), prefix: prefix(item),
            control: RenderControl(item, hints: hints.controls, hasOptions: !options.isEmpty), options: options,
            answers: state.answers,
            answerTexts: labels,
            isRequired: item.isRequired && !state.isOpen, isReadOnly: item.isReadOnly,
            repeats: item.repeats,
            isEnabled: state.isEnabled, takesOwnText: item.takesText,
            takesOtherValues: !options.isEmpty && (item.answerConstraint == .optionsOrType || offered.isEmpty)
                && !item.takesText,
            limits: limits(of: item, at: path), unit: item.unit,
            units: item.limits.units.count > 1 ? item.limits.units : [],
            notes: notes(item.children, below: path.steps), hints: hints)
    }
}
