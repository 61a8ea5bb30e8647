import FHIR
import FormRendering
import Questionnaires

/// Writes the elements of a form's plan in words.
struct PreviewWriter {
    private let form: QuestionnaireForm

    /// Maximum number of options that are listed for a question.
    private static let maximumOptions = 200

    init(_ form: QuestionnaireForm) { self.form = form }

    func written(_ sentence: Sentence) -> String { sentence.text(in: form.language, from: PreviewSentences.table) }

    // MARK: - Entries

    func page(_ page: RenderPlan.Page) -> FormPreview.Page {
        let outer = page.group.map { $0.path.steps.count } ?? page.path.steps.count - 1
        return FormPreview.Page(
            group: page.group.map { section($0, level: 0) }, header: page.header.map(\.plain),
            footer: page.footer.map(\.plain), entries: page.elements.compactMap { entry($0, outer: outer) })
    }

    /// - Parameter outer: the number of steps of the paths on the page that lead to the page itself.
    private func entry(_ element: RenderPlan.Element, outer: Int) -> FormPreview.Entry? {
        let level = max(0, element.path.steps.count - 1 - outer)
        switch element {
        case .section(let group): return section(group, level: level)
        case .text(let display):
            var entry = FormPreview.Entry(
                kind: .text, level: level, linkID: display.linkID, text: joined(display.prefix, display.text))
            entry.notes = links(display.hints)
            entry.condition = condition(of: display.linkID)
            return entry
        case .question(let question): return self.question(question, level: level)
        case .answer, .repetition: return nil
        }
    }

    private func section(_ group: RenderPlan.Section, level: Int) -> FormPreview.Entry {
        var entry = FormPreview.Entry(
            kind: .section, level: level, linkID: group.linkID, text: joined(group.prefix, group.text),
            isRequired: group.isRequired)
        // The header and the footer are texts of the page.
        entry.notes =
            group.notes.filter { ![.header, .footer].contains($0.role) }.map(\.text.plain) + links(group.hints)
        if group.repeats { entry.facts.append(written("Can be repeated")) }
        entry.condition = condition(of: group.linkID)
        return entry
    }

    private func question(_ question: RenderPlan.Question, level: Int) -> FormPreview.Entry {
        let text = joined(question.prefix, question.text)
        var entry = FormPreview.Entry(
            kind: .question, level: level, linkID: question.linkID, text: text.isEmpty ? question.linkID : text,
            isRequired: question.isRequired)
        entry.notes = question.notes.map(\.text.plain) + links(question.hints)
        entry.answer = written(answer(to: question))
        entry.options = choices(of: question)
        entry.facts = limits(question) + properties(of: question.linkID, isReadOnly: question.isReadOnly)
        entry.condition = condition(of: question.linkID)
        return entry
    }

    func hiddenEntry(_ item: FormItem) -> FormPreview.Entry {
        var entry = FormPreview.Entry(
            kind: .question, level: 0, linkID: item.linkID, text: item.text ?? item.linkID)
        entry.facts = properties(of: item.linkID, isReadOnly: false)
        entry.condition = condition(of: item.linkID)
        return entry
    }

    private func condition(of linkID: String) -> ConditionText? {
        form.item(linkID).flatMap { ConditionText(of: $0, in: form, written: written) }
    }

    private func joined(_ prefix: RenderText?, _ text: RenderText?) -> String {
        [prefix, text].compactMap { $0?.plain }.joined(separator: " ")
    }

    /// The addresses of further information and of media.
    private func links(_ hints: RenderHints) -> [String] {
        hints.supportLinks + [hints.media?.title, hints.media?.url].compactMap { $0 }
    }

    // MARK: - Answers

    private func answer(to question: RenderPlan.Question) -> Sentence {
        if !question.options.isEmpty {
            return question.repeats ? "One or more of these answers" : "One of these answers"
        }
        switch question.type {
        case .boolean: return "Yes or no"
        case .choice, .openChoice: return question.takesOwnText ? "Own words" : "A code"
        case .integer, .decimal, .quantity: return number(question)
        case .date: return "A date"
        case .dateTime: return "A date, or a date with a time"
        case .time: return "A time of day"
        case .text: return "A text of several lines"
        case .url: return "A web address"
        case .attachment: return "A file"
        case .reference: return "A reference to a record"
        default: return "A text of one line"
        }
    }

    private func number(_ question: RenderPlan.Question) -> Sentence {
        func text(_ unit: Coding) -> String? { RenderPlan.Question.text(of: unit, in: form.language) }
        let units = question.units.compactMap(text)
        if units.count > 1 { return "A number in one of the units \(units.joined(separator: ", "))" }
        let isWhole = question.type == .integer
        guard let unit = question.unit.flatMap(text) else { return isWhole ? "A whole number" : "A number" }
        return isWhole ? "A whole number in \(unit)" : "A number in \(unit)"
    }

    private func choices(of question: RenderPlan.Question) -> [FormPreview.Choice] {
        let weights = Dictionary(
            (form.item(question.linkID)?.options ?? []).map { ($0.value, $0.weight) }, uniquingKeysWith: { $1 })
        var choices = question.options.prefix(Self.maximumOptions).map { option in
            var notes: [String] = []
            if let weight = weights[option.value] ?? nil { notes.append(written("points: \(weight.text)")) }
            if option.isExclusive { notes.append(written("excludes all others")) }
            let text = [option.prefix, option.text.plain].compactMap { $0 }.joined(separator: " ")
            return FormPreview.Choice(text: text, notes: notes)
        }
        func add(_ sentence: Sentence) { choices.append(FormPreview.Choice(text: written(sentence), notes: [])) }
        let more = question.options.count - choices.count
        if more > 0 { add("and \(more) more") }
        if question.takesOwnText, !question.options.isEmpty {
            add(question.hints.openLabel.map { "Own words: \($0)" } ?? "Own words")
        } else if question.takesOtherValues {
            add("Another answer")
        }
        return choices
    }

    // MARK: - Limits

    private func limits(_ question: RenderPlan.Question) -> [String] {
        let limits = question.limits
        var facts: [Sentence] = []
        switch (limits.minimum?.text, limits.maximum?.text) {
        case (let low?, let high?): facts.append("From \(low) to \(high)")
        case (let low?, nil): facts.append("From \(low)")
        case (nil, let high?): facts.append("Up to \(high)")
        case (nil, nil): break
        }
        if let count = limits.minLength { facts.append("Minimum number of characters: \(count)") }
        if let count = limits.maxLength { facts.append("Maximum number of characters: \(count)") }
        if let count = limits.maxDecimalPlaces { facts.append("Maximum number of decimal places: \(count)") }
        if let count = limits.minOccurs { facts.append("Minimum number of answers: \(count)") }
        if let count = limits.maxOccurs { facts.append("Maximum number of answers: \(count)") }
        if question.repeats, question.options.isEmpty { facts.append("Several answers") }
        if let format = limits.entryFormat { facts.append("Format: \(format)") }
        if !limits.mimeTypes.isEmpty { facts.append("Files: \(limits.mimeTypes.joined(separator: ", "))") }
        return facts.map(written)
    }

    private func properties(of linkID: String, isReadOnly: Bool) -> [String] {
        guard let item = form.item(linkID) else { return [] }
        var facts: [Sentence] = []
        if !item.initial.isEmpty {
            let labels = item.initial.map { item.label(of: $0, in: form.language) }
            facts.append("At the start: \(labels.joined(separator: ", "))")
        }
        if let expression = item.source.extension(FormExtension.calculatedExpression)?.value?.json {
            let text = expression["description"]?.string ?? expression["expression"]?.string ?? ""
            facts.append("Calculated by the form: \(text)")
        }
        if isReadOnly { facts.append("Cannot be changed") }
        return facts.map(written)
    }
}
