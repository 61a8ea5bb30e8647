import FHIR
import Questionnaires

/// A form asked question by question in lines of text. Pure: a line in, lines out; whoever has a terminal prints and
/// reads.
///
///     var dialogue = SurveyDialogue(form)
///     while !dialogue.isFinished {
///         print(dialogue.prompt.joined(separator: "\n"))
///         guard let line = readLine() else { break }
///         print(dialogue.take(line).lines.joined(separator: "\n"))
///     }
public struct SurveyDialogue: Sendable {
    /// The step that stands open.
    public enum Step: Sendable, Hashable {
        /// The question at a path waits for its answer.
        case question(ItemPath)
        /// Whether a repeating group is filled in once more; the path is that of the instance there would be.
        case repetition(ItemPath)
    }

    /// The reply to a line.
    public struct Reply: Sendable, Hashable {
        /// The lines to tell, such as why the answer was not taken.
        public var lines: [String] = []
        /// Whether the person wants to stop for now.
        public var isPaused = false
        /// A file to read and give to ``SurveyDialogue/attach(_:contentType:title:)``.
        public var wantedFile: String?
    }

    /// The session with the answers that were taken so far.
    public internal(set) var session: FormSession
    /// nil when all is done.
    public internal(set) var current: Step?
    /// Repeating groups without answers that the person has begun.
    var opened: Set<ItemPath> = []

    /// Begins a dialogue at the form's first step, with its initial values.
    public init(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules()) {
        session = FormSession(form, rules: rules)
        current = script.steps.first
    }

    /// Goes on where ``state`` was taken; nil where it is that of another form, or none.
    public init?(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), resuming state: JSON) {
        guard let items = state["items"], items.array != nil, state["questionnaire"]?.string == form.canonical else {
            return nil
        }
        session = FormSession(form, rules: rules, snapshot: items)
        let names = Set((state["opened"]?.array ?? []).compactMap(\.string))
        opened = Set(session.entries().map(\.path).filter { names.contains($0.description) })
        let steps = script.steps
        let name = state["at"]?.string
        current = steps.first { Self.name($0) == name } ?? steps.first { isUnanswered($0) } ?? steps.last
    }

    /// Whether no question stands open any more.
    public var isFinished: Bool { current == nil }

    /// All that is needed to go on later. It holds answers: keep it where only the person can read it.
    public var state: JSON {
        var state = JSONObject()
        state["questionnaire"] = session.form.canonical.map(JSON.string)
        state["at"] = current.map { .string(Self.name($0)) }
        state["opened"] = .array(opened.map(\.description).sorted().map(JSON.string))
        state["items"] = session.snapshot
        return .object(state)
    }

    var script: SurveyScript { SurveyScript(session, opened: opened) }

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

    mutating func goBack() -> Reply {
        let steps = script.steps
        guard let current, let index = steps.firstIndex(of: current), index > 0 else {
            return Reply(lines: ["This is the first question."])
        }
        self.current = steps[index - 1]
        return Reply()
    }

    /// To the step behind the one that was open; at the end, to the first one that still keeps the response from being
    /// right.
    mutating func goOn(from step: Step, earlier: [Step]) -> Reply {
        let steps = script.steps
        if let index = steps.firstIndex(of: step) {
            current = steps.dropFirst(index + 1).first
        } else {
            // The step has gone with the answer: the next of those that were behind it.
            let behind = earlier.drop { $0 != step }.dropFirst()
            current = behind.first { steps.contains($0) }
        }
        return current == nil ? finish(steps) : Reply()
    }

    private mutating func finish(_ steps: [Step]) -> Reply {
        let errors = session.problems().filter { $0.severity == .error }
        for error in errors {
            guard let linkID = error.linkID, let step = step(for: linkID, error.code, steps) else { continue }
            current = step
            return Reply(lines: ["Something is left to do: " + error.message])
        }
        return Reply(lines: script.texts(before: nil))
    }

    /// Returns the step at which a problem of an item can be mended: at the item, or at the first question inside.
    private func step(for linkID: String, _ code: String, _ steps: [Step]) -> Step? {
        steps.first { step in
            guard case .question(let path) = step else { return false }
            if path.steps.last?.linkID == linkID { return code != "required" || isUnanswered(step) }
            return path.steps.dropLast().contains { $0.linkID == linkID }
        }
    }
}
