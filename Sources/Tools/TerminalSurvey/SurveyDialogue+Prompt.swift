import FormRendering
import Questionnaires

extension SurveyDialogue {
    /// The lines of text for the open step: the texts before it, progress, the question, its options, and how to
    /// answer.
    package var prompt: [String] {
        guard let current else { return [] }
        switch current {
        case .question(let path):
            guard let question = session.renderedQuestion(at: path) else { return introduction }
            let (number, count) = number(of: path)
            return introduction + lines(question, progress: "[\(number)/\(count)]")
        case .repetition(let path):
            let name = path.steps.last.flatMap { session.form.item($0.linkID) }
            let text = name.flatMap { session.currentText(of: $0, at: path) } ?? name?.linkID ?? ""
            let isFirst = (path.steps.last?.instance ?? 0) == 0
            return introduction + [written(isFirst ? "Fill in: \(text)? (y/N)" : "Another one: \(text)? (y/N)")]
        }
    }

    private func lines(_ question: RenderPlan.Question, progress: String) -> [String] {
        let text = question.text ?? RenderText(question.linkID)
        let words = [
            progress, SurveyScript.joined([question.prefix, text]), question.isRequired ? "*" : nil,
        ]
        var lines = [words.compactMap { $0 }.joined(separator: " ")]
        lines += question.notes.map { "  " + line($0) } + script.links(question.hints)
        for (index, option) in choices(of: question).enumerated() {
            let mark = option.isSelected ? " " + written("(chosen)") : ""
            let prefix = option.prefix.map { $0 + " " } ?? ""
            let media = option.media.flatMap { $0.url ?? $0.title }.map { " <\($0)>" } ?? ""
            lines.append("  \(index + 1)) \(prefix)\(option.text.plain)\(media)\(mark)")
        }
        lines.append("  " + hint(question))
        return lines
    }

    private func line(_ note: RenderPlan.Note) -> String {
        switch note.role {
        case .lower: written("Lower end: \(note.text.plain)")
        case .upper: written("Upper end: \(note.text.plain)")
        case .unit: written("Unit: \(note.text.plain)")
        case .inline, .prompt, .flyover, .help, .header, .footer: note.text.plain
        }
    }

    /// Returns the hint on how to answer.
    func hint(_ question: RenderPlan.Question) -> String {
        var words = [question.limits.entryFormat ?? kind(of: question)]
        if question.repeats {
            words.append(
                written(
                    Self.separator(question) == ","
                        ? "several separated by commas" : "several separated by semicolons"))
        }
        if !question.answers.isEmpty {
            words.append(written("Enter keeps: \(labels(question)); clear"))
        } else if !question.isRequired {
            words.append(written("Enter skips"))
        }
        return "(" + words.joined(separator: "; ") + (allowsBack ? "; back, pause)" : "; pause)")
    }

    /// Returns the texts of the answers.
    private func labels(_ question: RenderPlan.Question) -> String {
        SurveyScript.labels(question, in: session.form, language)
    }

    private func kind(of question: RenderPlan.Question) -> String {
        let hasOptions = !question.options.isEmpty
        if question.control == .slider, !hasOptions, let scale = scale(question) { return scale }
        return written(sentence(for: question, hasOptions: hasOptions))
    }

    private func sentence(for question: RenderPlan.Question, hasOptions: Bool) -> Sentence {
        switch question.type {
        case .boolean: return "the number of an answer, or y or n"
        case .choice, .openChoice:
            if question.takesOwnText {
                let own = written(question.hints.openLabel.map { "your own words: \($0)" } ?? "your own words")
                return hasOptions ? "the number of an answer, or \(own)" : "\(own)"
            }
            guard hasOptions else { return "a code" }
            return question.takesOtherValues
                ? "the number of an answer, or another code as system|code" : "the number of an answer"
        case .integer: return "a whole number"
        case .decimal: return "a number"
        case .quantity:
            let units = question.units.compactMap { RenderPlan.Question.text(of: $0, in: language) }
            if units.count > 1 { return "a number and one of the units \(units.joined(separator: ", "))" }
            let unit = question.unit.flatMap { RenderPlan.Question.text(of: $0, in: language) }
            return unit.map { "a number in \($0)" } ?? "a number"
        case .date: return "a date such as 2026-01-31"
        case .dateTime: return "a date such as 2026-01-31, or with a time 2026-01-31T08:30:00+01:00"
        case .time: return "a time such as 08:30"
        case .url: return "an address such as https://example.org"
        case .attachment: return "the path of a file, or its address"
        case .reference:
            guard hasOptions else { return "a reference such as Patient/1" }
            return question.takesOtherValues
                ? "the number of an answer, or a reference such as Patient/1" : "the number of an answer"
        default:
            guard hasOptions else { return "text" }
            return question.takesOtherValues ? "the number of an answer, or text" : "the number of an answer"
        }
    }

    /// Returns the numbers of a slider; nil if it has no bounds.
    private func scale(_ question: RenderPlan.Question) -> String? {
        guard let low = question.limits.minimum, let high = question.limits.maximum else { return nil }
        guard let step = question.hints.sliderStep else {
            return written("a number from \(low.text) to \(high.text)")
        }
        return written("a number from \(low.text) to \(high.text) in steps of \(step.text)")
    }

    /// Returns the options that can be chosen by number.
    func choices(of question: RenderPlan.Question) -> [RenderPlan.Option] {
        guard question.type == .boolean else { return question.options }
        return RenderPlan.Option.yesAndNo(answers: question.answers, in: language)
    }

    /// Returns the separator of several answers. Texts may contain commas.
    static func separator(_ question: RenderPlan.Question) -> Character {
        switch question.type {
        case .choice, .openChoice, .boolean, .integer, .date, .dateTime, .time: ","
        default: question.options.isEmpty ? ";" : ","
        }
    }
}
