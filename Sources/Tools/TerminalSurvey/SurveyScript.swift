import FormRendering
import Questionnaires

/// The way of a dialogue through the form, for the present answers. It renders the elements of a plan as lines.
struct SurveyScript {
    /// A step, with the lines of text before it; without a step, those at the end of the form.
    struct Stop {
        var lines: [String] = []
        var step: SurveyDialogue.Step?
    }

    private let session: FormSession
    let scope: RenderScope
    /// The language of our own words.
    private let language: String?

    /// - Parameters:
    ///   - opened: repeating groups that the person has begun without answers.
    ///   - language: the language of our own words.
    init(_ session: FormSession, opened: Set<ItemPath>, language: String?) {
        self.language = language
        self.session = session
        scope = RenderScope(opened: opened)
    }

    /// All steps in their order.
    var steps: [SurveyDialogue.Step] { RenderWalk(session, scope: scope).compactMap(Self.step) }

    /// Returns the first step.
    func first() -> Stop {
        var stop = stop(in: RenderWalk(session, scope: scope))
        stop.lines = session.formTexts(.header).map(\.plain) + stop.lines
        return stop
    }

    /// Returns the step after another, which need not exist any more.
    func stop(after step: SurveyDialogue.Step) -> Stop {
        switch step {
        case .question(let path), .repetition(let path):
            stop(in: RenderWalk(session, scope: scope, after: path))
        }
    }

    /// Returns a step with the lines before it; the end of the form if there is no such step.
    func stop(at step: SurveyDialogue.Step) -> Stop {
        var stop = Stop(lines: session.formTexts(.header).map(\.plain))
        for visit in RenderWalk(session, scope: scope) {
            if let here = Self.step(visit) {
                if here == step {
                    stop.step = step
                    return stop
                }
                stop.lines = []
            } else if let element = session.element(of: visit) {
                stop.lines += lines(element)
            }
        }
        stop.lines += session.formTexts(.footer).map(\.plain)
        return stop
    }

    private func stop(in walk: RenderWalk) -> Stop {
        var stop = Stop()
        for visit in walk {
            if let step = Self.step(visit) {
                stop.step = step
                return stop
            }
            if let element = session.element(of: visit) { stop.lines += lines(element) }
        }
        stop.lines += session.formTexts(.footer).map(\.plain)
        return stop
    }

    private static func step(_ visit: RenderVisit) -> SurveyDialogue.Step? {
        switch visit.kind {
        case .question: visit.isAnswerable ? .question(visit.path) : nil
        case .repetition: .repetition(visit.path)
        case .section, .text, .answer: nil
        }
    }

    // MARK: Lines

    private func lines(_ element: RenderPlan.Element) -> [String] {
        switch element {
        case .text(let text): return [Self.joined([text.prefix, text.text])] + links(text.hints)
        case .answer(let heading):
            let item = heading.path.steps.last.flatMap { session.form.item($0.linkID) }
            return ["-- \(item?.label(of: heading.answer, in: language) ?? heading.answer.text(in: language))"]
        case .section(let section):
            let number = section.path.steps.last?.instance ?? 0
            let heading = section.text.map { text in
                "== \(Self.joined([section.prefix, text]))\(number > 0 ? " (\(number + 1))" : "")"
            }
            return [heading].compactMap { $0 } + section.notes.map { "  " + $0.text.plain } + links(section.hints)
        case .question(let question):
            // Only a question that the person cannot answer is a text.
            guard let text = question.text else { return [] }
            guard question.isEnabled else { return [written("\(text.plain): not available")] }
            guard !question.answers.isEmpty else { return [] }
            return ["\(text.plain): \(Self.labels(question, in: session.form, language))"]
        case .repetition: return []
        }
    }

    private func written(_ sentence: Sentence) -> String { sentence.text(in: language, from: TerminalSentences.table) }

    /// Returns the texts of the answers to a question.
    static func labels(_ question: RenderPlan.Question, in form: QuestionnaireForm, _ language: String?) -> String {
        let item = form.item(question.linkID)
        return question.answers.map { answer in
            // The text of a choice that an expression offers is not in the form.
            let option = question.options.first { !$0.cells.isEmpty && answer.equals($0.value) }
            return option?.text.plain ?? item?.label(of: answer, in: language) ?? answer.text(in: language)
        }.joined(separator: ", ")
    }

    static func joined(_ texts: [RenderText?]) -> String {
        texts.compactMap { $0?.plain }.joined(separator: " ")
    }

    /// Returns the addresses of further information and of media.
    func links(_ hints: RenderHints) -> [String] {
        let media = hints.media.flatMap { media in
            [media.title, media.url].compactMap { $0 }.joined(separator: ": ")
        }
        return hints.supportLinks.map { "  " + written("More: \($0)") }
            + [media].compactMap { $0 }.filter { !$0.isEmpty }.map { "  \($0)" }
    }
}
