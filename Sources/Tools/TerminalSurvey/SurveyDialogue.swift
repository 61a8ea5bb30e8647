import FHIR
import FormRendering
import Questionnaires

/// A form presented question by question in lines of text. Pure: its input and output are lines, and the caller prints
/// and reads them.
///
///     var dialogue = SurveyDialogue(form)
///     while !dialogue.isFinished {
///         print(dialogue.prompt.joined(separator: "\n"))
///         guard let line = readLine() else { break }
///         print(dialogue.take(line).lines.joined(separator: "\n"))
///     }
package struct SurveyDialogue: Sendable {
    /// The open step.
    package enum Step: Sendable, Hashable {
        /// The question at a path.
        case question(ItemPath)
        /// Whether to fill in a repeating group once more; the path is that of the new instance.
        case repetition(ItemPath)
    }

    /// The reply to a line.
    package struct Reply: Sendable, Hashable {
        /// The lines to print, for instance the reason that an answer was not accepted.
        package var lines: [String] = []
        /// Whether the person wants to pause.
        package var isPaused = false
        /// A file to read and pass to ``SurveyDialogue/attach(_:contentType:title:)``.
        package var wantedFile: String?
    }

    /// The language of our own words; by default that of the form.
    let language: String?
    /// The session with the answers so far.
    package internal(set) var session: FormSession
    /// nil when the form is finished.
    package internal(set) var current: Step?
    /// Repeating groups that the person has begun without answers.
    var opened: Set<ItemPath> = []
    /// The lines of text before the open step.
    private(set) var introduction: [String] = []
    /// The number of the last question that was opened.
    private var numbering: Numbering?

    /// The number of a question, which holds while the form has the same questions.
    private struct Numbering: Sendable {
        let shape: Int
        let opened: Set<ItemPath>
        let number: Int
        let count: Int
    }

    /// Begins a dialogue at the form's first step, with its initial values.
    ///
    /// - Parameter language: the language of our own words; nil for that of the form.
    package init(_ form: QuestionnaireForm, language: String? = nil, rules: EnablementRules = EnablementRules()) {
        self.language = language ?? form.language
        session = FormSession(form, rules: rules)
        open(script.first())
    }

    /// Continues from ``state``; nil if that is of another form or invalid.
    package init?(
        _ form: QuestionnaireForm, language: String? = nil, rules: EnablementRules = EnablementRules(),
        resuming state: JSON
    ) {
        guard let items = state["items"], items.array != nil, state["questionnaire"]?.string == form.canonical else {
            return nil
        }
        self.language = language ?? form.language
        session = FormSession(form, rules: rules, snapshot: items)
        let names = Set((state["opened"]?.array ?? []).compactMap(\.string))
        opened = Set(session.entries().map(\.path).filter { names.contains($0.description) })
        let steps = script.steps
        let name = state["at"]?.string
        let found = steps.first { Self.name($0) == name } ?? steps.first { isUnanswered($0) } ?? steps.last
        if let found { open(script.stop(at: found)) }
    }

    /// Whether no question is open.
    package var isFinished: Bool { current == nil }

    /// The state for continuing later. It contains answers: store it where only the person can read it.
    package var state: JSON {
        var state = JSONObject()
        state["questionnaire"] = session.form.canonical.map(JSON.string)
        state["at"] = current.map { .string(Self.name($0)) }
        state["opened"] = .array(opened.map(\.description).sorted().map(JSON.string))
        state["items"] = session.snapshot
        return .object(state)
    }

    var script: SurveyScript { SurveyScript(session, opened: opened, language: language) }

    private static func name(_ step: Step) -> String {
        switch step {
        case .question(let path): path.description
        case .repetition(let path): "+ \(path)"
        }
    }

    func isUnanswered(_ step: Step) -> Bool {
        guard case .question(let path) = step else { return false }
        return session.answers(at: path).isEmpty
    }

    // MARK: The way

    /// Whether the form allows to return to earlier questions.
    var allowsBack: Bool { RenderPlan.EntryMode(of: session.form.questionnaire) != .sequential }

    mutating func open(_ stop: SurveyScript.Stop) {
        current = stop.step
        introduction = stop.lines
        numbering = nil
        guard case .question(let path) = current else { return }
        let (number, count) = session.questionNumber(of: path, scope: script.scope)
        numbering = Numbering(shape: session.shape, opened: opened, number: number, count: count)
    }

    /// Opens the step after the current one. Its number is the next while the questions are the same: a long form is not
    /// counted again.
    private mutating func open(next stop: SurveyScript.Stop) {
        guard let last = numbering, last.shape == session.shape, last.opened == opened else { return open(stop) }
        current = stop.step
        introduction = stop.lines
        guard case .question = current else { return }
        numbering = Numbering(shape: last.shape, opened: opened, number: last.number + 1, count: last.count)
    }

    /// Returns the number of the open question among all, from 1, and their count.
    func number(of path: ItemPath) -> (number: Int, count: Int) {
        guard let numbering, numbering.shape == session.shape, numbering.opened == opened else {
            return session.questionNumber(of: path, scope: script.scope)
        }
        return (numbering.number, numbering.count)
    }

    mutating func goBack() -> Reply {
        guard allowsBack else { return Reply(lines: [written("This form is answered in one direction only.")]) }
        let steps = script.steps
        guard let current, let index = steps.firstIndex(of: current), index > 0 else {
            return Reply(lines: [written("This is the first question.")])
        }
        open(script.stop(at: steps[index - 1]))
        return Reply()
    }

    /// Advances to the step after the given one, which the answer may have removed; at the end, to the first step that
    /// makes the response invalid.
    mutating func advance(from step: Step) -> Reply {
        open(next: script.stop(after: step))
        return current == nil ? finish() : Reply()
    }

    private mutating func finish() -> Reply {
        let last = introduction
        let errors = session.problems().filter { $0.severity == .error }
        guard !errors.isEmpty else { return Reply(lines: last) }
        let steps = script.steps
        for error in errors {
            guard let linkID = error.linkID, let step = step(for: linkID, error.code, steps) else { continue }
            open(script.stop(at: step))
            return Reply(lines: [written("Something is left to do: \(error.message(in: language))")])
        }
        return Reply(lines: last)
    }

    /// Returns the step at which a problem of an item can be corrected: at the item, or at the first question inside.
    private func step(for linkID: String, _ code: String, _ steps: [Step]) -> Step? {
        steps.first { step in
            guard case .question(let path) = step else { return false }
            if path.steps.last?.linkID == linkID { return code != "required" || isUnanswered(step) }
            return path.steps.dropLast().contains { $0.linkID == linkID }
        }
    }
}
