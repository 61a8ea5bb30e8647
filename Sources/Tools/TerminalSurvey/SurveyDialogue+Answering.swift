import FHIR
import FormRendering
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
            guard let question = session.renderedQuestion(at: path), let item = session.form.item(question.linkID)
            else {
                return advance(from: current)
            }
            return take(word, answering: question, item)
        }
    }

    /// Attaches the file that a reply requested; nil if it cannot be read.
    package mutating func attach(_ data: Data?, contentType: String?, title: String?) -> Reply {
        guard case .question(let path) = current, let question = session.renderedQuestion(at: path),
            question.type == .attachment, let item = session.form.item(question.linkID)
        else { return Reply() }
        guard let data else { return Reply(lines: [written("The file cannot be read.")]) }
        var attachment = Attachment()
        attachment.contentType = contentType
        attachment.data = data.base64EncodedString()
        attachment.size = data.count
        attachment.title = title
        return accept([AnswerValue(type: "Attachment", json: attachment.json)], to: question, item)
    }

    private mutating func take(_ word: String, repetition path: ItemPath) -> Reply {
        let step = Step.repetition(path)
        switch word.isEmpty ? false : Self.isYes(word) {
        case true?: break
        case false?: return advance(from: step)
        case nil: return Reply(lines: [written("Type y or n.")])
        }
        if path.steps.last?.instance == 0 { opened.insert(path) } else { session.ensureGroup(at: path) }
        let inside = script.steps.first { next in
            guard case .question(let nextPath) = next else { return false }
            return nextPath.steps.starts(with: path.steps)
        }
        guard let inside else { return advance(from: step) }
        open(script.stop(at: inside))
        return Reply()
    }

    private mutating func take(
        _ word: String, answering question: RenderPlan.Question, _ item: FormItem
    ) -> Reply {
        let step = Step.question(question.path)
        switch word.lowercased() {
        case "":
            guard question.answers.isEmpty, question.isRequired else {
                return advance(from: step)
            }
            return Reply(lines: [written("This question needs an answer.")])
        case "clear":
            session.setAnswers([], at: question.path)
            return Reply(lines: [written("The answer is removed.")])
        default: break
        }
        let isEscaped = word.hasPrefix("\\") && word.count > 1
        let answer = isEscaped ? String(word.dropFirst()) : word
        if question.type == .attachment, !answer.contains("://") { return Reply(wantedFile: answer) }
        guard let values = values(of: answer, to: question, item, byNumber: !isEscaped) else {
            return Reply(lines: [written("That is no answer to this question. \(hint(question))")])
        }
        return accept(values, to: question, item)
    }

    private mutating func accept(
        _ values: [AnswerValue], to question: RenderPlan.Question, _ item: FormItem
    ) -> Reply {
        let findings = session.findings(of: values, for: item, at: question.path)
        if let error = findings.first(where: { $0.severity == .error }) {
            return Reply(lines: [written(error.sentence)])
        }
        if let message = miscount(values, question) { return Reply(lines: [message]) }
        session.setAnswers(values, at: question.path)
        var reply = advance(from: .question(question.path))
        reply.lines = findings.map { written($0.sentence) } + reply.lines
        return reply
    }

    /// Returns the problem of too few answers, as a sentence; nil if there is none.
    private func miscount(_ values: [AnswerValue], _ question: RenderPlan.Question) -> String? {
        if let minimum = question.limits.minOccurs, values.count < minimum {
            return written("At least \(minimum) are asked for.")
        }
        return nil
    }

    /// Returns nil if a part of the line is no answer.
    private func values(
        of line: String, to question: RenderPlan.Question, _ item: FormItem, byNumber: Bool
    ) -> [AnswerValue]? {
        let options = choices(of: question).map(\.value)
        guard question.repeats else { return value(of: line, item, among: byNumber ? options : []).map { [$0] } }
        let parts = line.split(separator: Self.separator(question)).map { $0.trimmingCharacters(in: .whitespaces) }
        var values: [AnswerValue] = []
        for part in parts where !part.isEmpty {
            guard let value = value(of: part, item, among: byNumber ? options : []) else { return nil }
            if !values.contains(value) { values.append(value) }
        }
        return values.isEmpty ? nil : values
    }

    private func value(of word: String, _ item: FormItem, among numbered: [AnswerValue]) -> AnswerValue? {
        if let number = Int(word), numbered.indices.contains(number - 1) { return numbered[number - 1] }
        if item.type == .boolean, let isYes = Self.isYes(word) { return .boolean(isYes) }
        return AnswerCoercion.value(.string(word), for: item)
    }

    /// Returns whether a word is yes or no in one of the languages; nil if it is neither.
    private static func isYes(_ word: String) -> Bool? {
        switch word.lowercased() {
        case "y", "yes", "1", "j", "ja", "s", "sí", "si", "o", "oui": true
        case "n", "no", "2", "nein", "non": false
        default: nil
        }
    }
}
