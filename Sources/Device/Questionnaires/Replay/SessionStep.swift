import FHIR

/// One step of a person who answers a form, as a line of a replay.
///
/// - `{"set": "group[1]/dose", "value": [{"valueInteger": 3}]}` replaces the answers of a question; an empty list
///   removes them.
/// - `{"add": "group[1]"}` adds the next repetition of a group.
/// - `{"remove": "group[1]"}` removes a repetition; the only one is emptied.
public enum SessionStep: Sendable, Hashable {
    /// The path of a question, and its answers.
    case set(String, [AnswerValue])
    /// The path of the next repetition.
    case add(String)
    /// The path of the repetition.
    case remove(String)

    /// The reason why a step has no effect: a path that the form does not have, or an answer of a wrong type.
    public struct Refusal: CodedError, Hashable {
        /// The stable code, such as `link-id-unknown` or `answer-type`.
        public let code: String
        /// A sentence for people.
        public let message: String

        /// Creates a refusal with a stable code and a sentence for people.
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// Reads a step.
    ///
    /// - Throws: ``Refusal`` with the code `step-malformed`, or `answer-malformed` for a value that is none.
    public init(_ json: JSON) throws(Refusal) {
        if let path = json["set"]?.string, let values = json["value"]?.array {
            var answers: [AnswerValue] = []
            for value in values {
                guard let answer = QuestionnaireResponse.Item.Answer(json: value)?.value else {
                    throw Refusal(code: "answer-malformed", message: "A value is an object with one value[x].")
                }
                answers.append(answer)
            }
            self = .set(path, answers)
        } else if let path = json["add"]?.string {
            self = .add(path)
        } else if let path = json["remove"]?.string {
            self = .remove(path)
        } else {
            throw Refusal(
                code: "step-malformed", message: "A step has set with a list as value, add or remove.")
        }
    }
}

extension FormSession {
    /// Performs a step. An answer outside of a limit is entered and reported as a problem.
    ///
    /// - Throws: ``SessionStep/Refusal``; the session is then unchanged.
    public mutating func perform(_ step: SessionStep) throws(SessionStep.Refusal) {
        switch step {
        case .set(let path, let values): try set(values, written: path)
        case .add(let path):
            let (group, instance) = try self.group(path)
            guard instance == instanceCount(at: group), instance == 0 || form.item(group)?.repeats ?? false else {
                throw .init(code: "repetition-missing", message: "Only the next repetition of a group can be added.")
            }
            guard ensureGroup(at: group) else {
                throw .init(
                    code: "repetition-limit", message: "A group has at most \(Self.maximumInstances) repetitions.")
            }
        case .remove(let path):
            let (group, _) = try self.group(path)
            guard removeGroup(at: group) else {
                throw .init(code: "repetition-missing", message: "The group has no such repetition.")
            }
        }
    }

    private mutating func set(_ values: [AnswerValue], written: String) throws(SessionStep.Refusal) {
        let target = try resolved(written)
        switch target.item.type {
        case .group: throw .init(code: "group-answered", message: "A group takes items, not answers.")
        case .display: throw .init(code: "display-answered", message: "A display item takes no answer.")
        default: break
        }
        guard node(at: target.path) != nil else {
            throw .init(code: "repetition-missing", message: "The repetition or the answer above does not exist.")
        }
        let options = options(at: target.path)
        for value in values {
            guard AnswerCheck.isOfType(value, for: target.item, among: options ?? target.item.options) else {
                throw .init(code: "answer-type", message: "The question takes no answer of the type \(value.type).")
            }
            guard AnswerCheck.isWellFormed(value) else {
                throw .init(code: "answer-malformed", message: "The answer is not valid for its type.")
            }
        }
        setAnswers(values, at: target.path)
    }

    private func resolved(_ written: String) throws(SessionStep.Refusal) -> ResolvedPath {
        do throws(ResponseProblem) {
            return try form.resolve(written)
        } catch {
            throw .init(code: error.code, message: error.message)
        }
    }

    /// Returns the path of a group with the number of the repetition.
    private func group(_ written: String) throws(SessionStep.Refusal) -> (ItemPath, Int) {
        let target = try resolved(written)
        guard target.item.type == .group else {
            throw .init(code: "group-expected", message: "Only a group has repetitions of its own.")
        }
        var path = target.path
        path.steps[path.steps.count - 1].instance = target.answer ?? 0
        guard node(at: path) != nil else {
            throw .init(code: "repetition-missing", message: "The repetition or the answer above does not exist.")
        }
        return (path, target.answer ?? 0)
    }

    /// The state of the session after a step, as JSON: the paths of the enabled items, their answers, and the errors of
    /// the response.
    public func stateLine(step: Int, refused: SessionStep.Refusal?) -> JSON {
        let entries = entries(includingHidden: true)
        var answers = JSONObject()
        for entry in entries where !entry.answers.isEmpty {
            answers[entry.path.description] = .array(
                entry.answers.map { answer in
                    var value = JSONObject()
                    value["value" + answer.type] = answer.json
                    return .object(value)
                })
        }
        let problems = locatedProblems().filter { $0.problem.severity == .error }.map { located -> JSON in
            [
                "code": .string(located.problem.code),
                "path": .string(located.path?.description ?? located.problem.linkID ?? ""),
            ]
        }
        return [
            "step": .number(JSONNumber(step)),
            "enabled": .array(entries.map { .string($0.path.description) }),
            "answers": .object(answers),
            "problems": .array(problems),
            "refused": refused.map { .string($0.code) } ?? .null,
        ]
    }
}

extension QuestionnaireForm {
    fileprivate func item(_ path: ItemPath) -> FormItem? { path.steps.last.flatMap { item($0.linkID) } }
}
