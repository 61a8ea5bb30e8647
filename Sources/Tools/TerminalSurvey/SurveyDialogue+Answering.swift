import FHIR
import Foundation
import Questionnaires

extension SurveyDialogue {
    /// Processes the person's input: an answer, or `back`, `clear`, `pause`. A backslash before any text makes it an
    /// answer.
    package mutating func take(_ line: String) -> Reply {
        guard let current else { return Reply() }
        let word = line.trimmingCharacters(in: .whitespacesAndNewlines)
        switch word.lowercased() {
        case "back": return goBack()
        case "pause", "quit": return Reply(isPaused: true)
        default: break
        }
        switch current {
        case .repetition(let path): return take(word, repetition: path)
        case .question(let path):
            guard let state = session.state(at: path) else { return goOn(from: current, earlier: script.steps) }
            return take(word, state, at: path)
        }
    }

    /// Attaches the file that a reply requested; nil if it cannot be read.
    package mutating func attach(_ data: Data?, contentType: String?, title: String?) -> Reply {
        guard case .question(let path) = current, let item = session.state(at: path)?.item, item.type == .attachment
        else { return Reply() }
        guard let data else { return Reply(lines: ["The file cannot be read."]) }
        var attachment = Attachment()
        attachment.contentType = contentType
        attachment.data = data.base64EncodedString()
        attachment.size = data.count
        attachment.title = title
        return accept([AnswerValue(type: "Attachment", json: attachment.json)], item, at: path)
    }

    private mutating func take(_ word: String, repetition path: ItemPath) -> Reply {
        let step = Step.repetition(path)
        let earlier = script.steps
        switch word.lowercased() {
        case "y", "yes", "1": break
        case "", "n", "no", "2": return goOn(from: step, earlier: earlier)
        default: return Reply(lines: ["Type y or n."])
        }
        if path.steps.last?.instance == 0 { opened.insert(path) } else { session.ensureGroup(at: path) }
        let inside = script.steps.first { next in
            guard case .question(let nextPath) = next else { return false }
            return nextPath.steps.starts(with: path.steps)
        }
        guard let inside else { return goOn(from: step, earlier: earlier) }
        current = inside
        return Reply()
    }

    private mutating func take(_ word: String, _ state: ItemState, at path: ItemPath) -> Reply {
        let item = state.item
        let step = Step.question(path)
        switch word.lowercased() {
        case "":
            guard state.answers.isEmpty, item.isRequired else {
                return goOn(from: step, earlier: script.steps)
            }
            return Reply(lines: ["This question needs an answer."])
        case "clear":
            session.setAnswers([], at: path)
            return Reply(lines: ["The answer is removed."])
        default: break
        }
        let isEscaped = word.hasPrefix("\\") && word.count > 1
        let answer = isEscaped ? String(word.dropFirst()) : word
        if item.type == .attachment, !answer.contains("://") { return Reply(wantedFile: answer) }
        guard let values = values(of: answer, item, byNumber: !isEscaped) else {
            return Reply(lines: ["That is no answer to this question. \(hint(item, state.answers.map(\.value)))"])
        }
        return accept(values, item, at: path)
    }

    private mutating func accept(_ values: [AnswerValue], _ item: FormItem, at path: ItemPath) -> Reply {
        let findings = session.findings(of: values, for: item, at: path)
        if let error = findings.first(where: { $0.severity == .error }) { return Reply(lines: [error.message]) }
        if let message = Self.miscount(values, item) { return Reply(lines: [message]) }
        let earlier = script.steps
        session.setAnswers(values, at: path)
        var reply = goOn(from: .question(path), earlier: earlier)
        reply.lines = findings.map(\.message) + reply.lines
        return reply
    }

    /// Returns the problem of several answers together, as a sentence; nil if there is none.
    private static func miscount(_ values: [AnswerValue], _ item: FormItem) -> String? {
        let exclusive = (item.options ?? []).filter(\.isExclusive)
        if values.count > 1, values.contains(where: { value in exclusive.contains { value.equals($0.value) } }) {
            return "One of these answers rules the others out."
        }
        if let maximum = item.limits.maxOccurs, values.count > maximum { return "At most \(maximum) are taken." }
        if let minimum = item.limits.minOccurs, values.count < minimum { return "At least \(minimum) are asked for." }
        return nil
    }

    /// Returns nil if a part of the line is no answer.
    private func values(of line: String, _ item: FormItem, byNumber: Bool) -> [AnswerValue]? {
        guard item.repeats else { return value(of: line, item, byNumber).map { [$0] } }
        let parts = line.split(separator: Self.separator(item)).map { $0.trimmingCharacters(in: .whitespaces) }
        var values: [AnswerValue] = []
        for part in parts where !part.isEmpty {
            guard let value = value(of: part, item, byNumber) else { return nil }
            if !values.contains(value) { values.append(value) }
        }
        return values.isEmpty ? nil : values
    }

    private func value(of word: String, _ item: FormItem, _ byNumber: Bool) -> AnswerValue? {
        let options = Self.choices(of: item).map(\.value)
        if byNumber, let number = Int(word), options.indices.contains(number - 1) { return options[number - 1] }
        if item.type == .boolean, ["y", "n"].contains(word.lowercased()) {
            return AnswerValue(type: "Boolean", json: .bool(word.lowercased() == "y"))
        }
        return AnswerCoercion.value(.string(word), for: item)
    }
}
