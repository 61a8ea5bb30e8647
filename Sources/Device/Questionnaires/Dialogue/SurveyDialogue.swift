import FHIR
import Foundation

/// A form asked question by question in lines of text. Pure: a line in, lines out; whoever has a terminal prints and
/// reads.
public struct SurveyDialogue: Sendable {
    public private(set) var session: FormSession
    /// The question that stands open; nil when all are done.
    public private(set) var current: ItemPath?
    private var skipped: Set<ItemPath> = []

    public init(_ form: Form) {
        session = FormSession(form)
        current = next(after: nil)?.path
    }

    /// What a line brought about.
    public struct Reply: Sendable, Hashable {
        /// What to tell, such as why the answer was not taken.
        public var lines: [String] = []
        /// Whether the person wants to stop for now.
        public var isPaused = false
    }

    public var isFinished: Bool { current == nil }

    /// The answers so far, by their paths, as an answers file takes them; for going on later.
    public var answersSoFar: JSON {
        var object = JSONObject()
        for entry in session.entries(includingHidden: true) where !entry.answers.isEmpty {
            object[entry.path.description] = .array(entry.answers.map { .object(JSONObject($0)) })
        }
        for path in skipped where object[path.description] == nil { object[path.description] = .array([]) }
        return .object(object)
    }

    /// Puts earlier answers in and goes on at the first question without one.
    public mutating func resume(_ answers: JSON) {
        var session = session
        _ = AnswerSet(answers).apply(to: &session)
        self.session = session
        let keys = Set(answers.object?.keys ?? [])
        for entry in questions where keys.contains(entry.path.description) && entry.answers.isEmpty {
            skipped.insert(entry.path)
        }
        current = questions.first { $0.answers.isEmpty && !skipped.contains($0.path) }?.path
    }

    /// The question as lines of text, with progress, options and what is asked for.
    public var prompt: [String] {
        guard let entry = entry(at: current) else { return [] }
        let all = questions
        let place = (all.firstIndex { $0.path == entry.path } ?? 0) + 1
        var lines = introduction(before: entry)
        let mark = entry.item.isRequired ? " *" : ""
        let prefix = entry.item.prefix.map { $0 + " " } ?? ""
        lines.append("[\(place)/\(all.count)] \(prefix)\(entry.item.text ?? entry.item.linkID)\(mark)")
        for (index, option) in choices(of: entry.item).enumerated() {
            let chosen = entry.answers.contains { $0.equals(option) } ? " (chosen)" : ""
            lines.append("  \(index + 1)) \(option.text)\(chosen)")
        }
        lines.append("  " + hint(entry))
        return lines
    }

    /// Takes what the person typed.
    public mutating func take(_ line: String) -> Reply {
        guard let entry = entry(at: current) else { return Reply() }
        let word = line.trimmingCharacters(in: .whitespaces)
        switch word.lowercased() {
        case "back":
            guard let previous = previous(before: entry.path) else {
                return Reply(lines: ["This is the first question."])
            }
            skipped.remove(previous)
            current = previous
            return Reply()
        case "pause", "quit": return Reply(lines: [], isPaused: true)
        case "":
            guard entry.answers.isEmpty, entry.item.isRequired else { return advance(from: entry) }
            return Reply(lines: ["This question needs an answer."])
        case "clear":
            session.setAnswers([], at: entry.path)
            return Reply(lines: ["The answer is removed."])
        default: return answer(word, entry)
        }
    }

    // MARK: Answers

    private mutating func answer(_ line: String, _ entry: FormSession.Entry) -> Reply {
        let parts =
            entry.item.repeats
            ? line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty } : [line]
        var values: [AnswerValue] = []
        for part in parts {
            guard let value = value(of: part, for: entry.item) else {
                return Reply(lines: ["That is no answer to this question. \(hint(entry))"])
            }
            values.append(value)
        }
        let findings = values.flatMap { AnswerCheck.problems(of: $0, for: entry.item) }
        guard findings.isEmpty else { return Reply(lines: findings.map(\.message)) }
        let exclusive = (entry.item.options ?? []).contains { option in
            option.isExclusive && values.contains { $0.equals(option.value) }
        }
        if values.count > 1, exclusive { return Reply(lines: ["One of these answers rules the others out."]) }
        if let most = entry.item.limits.maxOccurs, values.count > most {
            return Reply(lines: ["At most \(most) are taken."])
        }
        if let least = entry.item.limits.minOccurs, values.count < least {
            return Reply(lines: ["At least \(least) are asked for, separated by commas."])
        }
        session.setAnswers(values, at: entry.path)
        return advance(from: entry)
    }

    private func value(of word: String, for item: FormItem) -> AnswerValue? {
        let options = choices(of: item)
        if let number = Int(word), options.indices.contains(number - 1) { return options[number - 1] }
        if item.type == .boolean, ["y", "n"].contains(word.lowercased()) {
            return AnswerValue(type: "Boolean", json: .bool(word.lowercased() == "y"))
        }
        return AnswerCoercion.value(.string(word), for: item)
    }

    private func choices(of item: FormItem) -> [AnswerValue] {
        if item.type == .boolean {
            return [AnswerValue(type: "Boolean", json: true), AnswerValue(type: "Boolean", json: false)]
        }
        return (item.options ?? []).map(\.value)
    }

    private func hint(_ entry: FormSession.Entry) -> String {
        let item = entry.item
        var words: [String]
        switch item.type {
        case .choice, .boolean: words = ["the number of an answer"]
        case .openChoice: words = ["the number of an answer, or your own words"]
        case .integer: words = ["a whole number"]
        case .decimal: words = ["a number"]
        case .quantity: words = ["a number" + (item.unit.map { " in \($0.display ?? $0.code ?? "")" } ?? "")]
        case .date: words = ["a date such as 2026-01-31"]
        case .dateTime: words = ["a date and time such as 2026-01-31T08:30:00+01:00"]
        case .time: words = ["a time such as 08:30"]
        default: words = ["text"]
        }
        if let format = item.limits.entryFormat { words[0] = format }
        if item.repeats { words.append("several separated by commas") }
        if !entry.answers.isEmpty {
            words.append("Enter keeps: " + entry.answers.map(\.text).joined(separator: ", "))
        } else if !item.isRequired {
            words.append("Enter skips")
        }
        return "(" + words.joined(separator: "; ") + "; back, pause)"
    }

    // MARK: Order

    /// The questions that a person is asked, in order.
    private var questions: [FormSession.Entry] {
        session.entries().filter { $0.item.isQuestion && !$0.item.isReadOnly }
    }

    private func entry(at path: ItemPath?) -> FormSession.Entry? {
        guard let path else { return nil }
        return questions.first { $0.path == path }
    }

    private mutating func advance(from entry: FormSession.Entry) -> Reply {
        if session.answers(at: entry.path).isEmpty { skipped.insert(entry.path) } else { skipped.remove(entry.path) }
        current = next(after: entry.path)?.path
        return Reply()
    }

    private func next(after path: ItemPath?) -> FormSession.Entry? {
        let all = questions
        guard let path, let index = all.firstIndex(where: { $0.path == path }) else { return all.first }
        return all.dropFirst(index + 1).first
    }

    private func previous(before path: ItemPath) -> ItemPath? {
        let all = questions
        guard let index = all.firstIndex(where: { $0.path == path }), index > 0 else { return nil }
        return all[index - 1].path
    }

    /// The texts that stand between the question before and this one.
    private func introduction(before entry: FormSession.Entry) -> [String] {
        let entries = session.entries()
        guard let end = entries.firstIndex(where: { $0.path == entry.path }) else { return [] }
        let start = entries[..<end].lastIndex { $0.item.isQuestion }.map { $0 + 1 } ?? 0
        return entries[start..<end].compactMap { shown in
            guard let text = shown.item.text else { return nil }
            return shown.item.type == .group ? "== \(text)" : text
        }
    }
}

extension SurveyDialogue {
    /// Adds another instance of the repeating group that the last question stood in.
    ///
    /// - Returns: the group's text, if there is a repeating group that can be asked again.
    public func repeatableGroup(of path: ItemPath) -> ItemPath? {
        for depth in path.steps.indices.dropLast().reversed() {
            let group = ItemPath(Array(path.steps[...depth]))
            if let state = session.state(at: group), state.item.type == .group, state.item.repeats { return group }
        }
        return nil
    }

    /// Whether a question is asked before another.
    public func comesBefore(_ left: ItemPath, _ right: ItemPath) -> Bool {
        let paths = session.entries().map(\.path)
        guard let first = paths.firstIndex(of: left), let second = paths.firstIndex(of: right) else { return false }
        return first < second
    }

    /// Opens another instance of a repeating group and goes to its first question.
    public mutating func addInstance(of group: ItemPath) {
        guard let state = session.state(at: group), let last = group.steps.indices.last else { return }
        var path = group
        path.steps[last].instance = state.groups.count
        guard session.ensureGroup(at: path) else { return }
        current = questions.first { Array($0.path.steps.prefix(path.steps.count)) == path.steps }?.path ?? current
    }
}

extension JSONObject {
    /// An answer as an object with its one `value[x]` member.
    fileprivate init(_ answer: AnswerValue) {
        self.init()
        self["value" + answer.type] = answer.json
    }
}
