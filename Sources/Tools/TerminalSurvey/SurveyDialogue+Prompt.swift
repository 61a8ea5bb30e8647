import Questionnaires

extension SurveyDialogue {
    /// The lines of text for the open step: the texts before it, progress, the question, its options, and how to
    /// answer.
    package var prompt: [String] {
        guard let current else { return [] }
        let script = script
        let lines = script.texts(before: current)
        switch current {
        case .question(let path):
            guard let state = session.state(at: path) else { return lines }
            let questions = script.steps.filter { if case .question = $0 { true } else { false } }
            let number = (questions.firstIndex(of: current) ?? 0) + 1
            return lines + question(state, "[\(number)/\(questions.count)]")
        case .repetition(let path):
            guard let state = session.state(at: path) else { return lines }
            let name = state.item.text ?? state.item.linkID
            let isFirst = (path.steps.last?.instance ?? 0) == 0
            return lines + [isFirst ? "Fill in: \(name)? (y/N)" : "Another one: \(name)? (y/N)"]
        }
    }

    private func question(_ state: ItemState, _ progress: String) -> [String] {
        let item = state.item
        let words = [progress, item.prefix, item.text ?? item.linkID, item.isRequired ? "*" : nil]
        var lines = [words.compactMap { $0 }.joined(separator: " ")]
        lines += item.explanations.compactMap { $0.text.map { "  \($0)" } }
        let chosen = state.answers.map(\.value)
        for (index, option) in Self.choices(of: item).enumerated() {
            let mark = chosen.contains { $0.equals(option.value) } ? " (chosen)" : ""
            let prefix = option.prefix.map { $0 + " " } ?? ""
            lines.append("  \(index + 1)) \(prefix)\(option.value.text)\(mark)")
        }
        lines.append("  " + hint(item, chosen))
        return lines
    }

    /// Returns the hint on how to answer.
    func hint(_ item: FormItem, _ answers: [AnswerValue]) -> String {
        var words = [item.limits.entryFormat ?? Self.kind(of: item)]
        if item.repeats {
            words.append("several separated by \(Self.separator(item) == "," ? "commas" : "semicolons")")
        }
        if !answers.isEmpty {
            words.append("Enter keeps: " + answers.map(\.text).joined(separator: ", ") + "; clear")
        } else if !item.isRequired {
            words.append("Enter skips")
        }
        return "(" + words.joined(separator: "; ") + "; back, pause)"
    }

    private static func kind(of item: FormItem) -> String {
        let hasOptions = !(item.options ?? []).isEmpty
        switch item.type {
        case .boolean: return "the number of an answer, or y or n"
        case .choice, .openChoice:
            if item.takesText { return hasOptions ? "the number of an answer, or your own words" : "your own words" }
            guard hasOptions else { return "a code" }
            return item.answerConstraint == .optionsOrType
                ? "the number of an answer, or another code as system|code" : "the number of an answer"
        case .integer: return "a whole number"
        case .decimal: return "a number"
        case .quantity:
            let units = item.limits.units.compactMap { $0.display ?? $0.code }
            if units.count > 1 { return "a number and one of the units \(units.joined(separator: ", "))" }
            return "a number" + (item.unit.flatMap { $0.display ?? $0.code }.map { " in \($0)" } ?? "")
        case .date: return "a date such as 2026-01-31"
        case .dateTime: return "a date such as 2026-01-31, or with a time 2026-01-31T08:30:00+01:00"
        case .time: return "a time such as 08:30"
        case .url: return "an address such as https://example.org"
        case .attachment: return "the path of a file, or its address"
        case .reference: return "a reference such as Patient/1"
        default: return hasOptions ? "the number of an answer" : "text"
        }
    }

    /// Returns the options that can be chosen by number.
    static func choices(of item: FormItem) -> [FormOption] {
        guard item.type == .boolean else { return item.options ?? [] }
        return [true, false].map {
            FormOption(
                value: AnswerValue(type: "Boolean", json: .bool($0)), isExclusive: false, isInitial: false, prefix: nil)
        }
    }

    /// Returns the separator of several answers. Texts may contain commas.
    static func separator(_ item: FormItem) -> Character {
        switch item.type {
        case .choice, .openChoice, .boolean, .integer, .date, .dateTime, .time: ","
        default: item.options == nil ? ";" : ","
        }
    }
}
