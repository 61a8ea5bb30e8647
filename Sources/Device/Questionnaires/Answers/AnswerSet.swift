import FHIR

/// Answers from a JSON file: linkIds, or paths such as `group[1]/child`, with values.
///
/// - A value is a boolean, a number, a text, an object with one `value[x]` member, a list of these, or `{"value": ...,
///   "item": {...}}` with answers to the items below. `null` and `[]` remove an initial value.
/// - A linkId identifies its item at any depth; the groups above are optional. Below a question with several answers,
///   `question[1]/child` or `item` identifies the answer.
/// - The numbers distinguish repetitions and define their order; they can begin with 0 or 1.
/// - A group's value can be an object of its items, or a list of such objects.
public struct AnswerSet: Sendable {
    /// The object of linkIds with values.
    public let json: JSON

    /// Creates a set from the JSON of an answers file; ``apply(to:)`` reports values that cannot be entered.
    public init(_ json: JSON) { self.json = json }

    /// Enters the answers into a session.
    ///
    /// - Returns: values that could not be entered, as errors. Answers to items that are finally disabled are not in
    ///   the response; they have a warning. The expression is the key in the file.
    public func apply(to session: inout FormSession) -> [ResponseProblem] {
        guard let object = json.object else {
            return [
                ResponseProblem(
                    code: "answers-malformed", expression: "$", linkID: nil,
                    message: "The answers must be a JSON object of linkIds with values.")
            ]
        }
        var reader = AnswerReader(form: session.form)
        reader.read(object, below: nil, key: "")
        var filler = AnswerFiller(reader)
        return filler.fill(&session)
    }
}

/// One value of an answers file with its target.
struct AnswerEntry: Sendable {
    /// The target. The number of the last step is that of the answer.
    var target: AnswerTarget
    /// The value; nil removes the answers.
    let value: JSON?
    let key: String
}

/// Splits an answers file into single values with their targets.
struct AnswerReader {
    let form: QuestionnaireForm
    private(set) var answers: [AnswerEntry] = []
    private(set) var problems: [ResponseProblem] = []

    init(form: QuestionnaireForm) { self.form = form }

    mutating func read(_ object: JSONObject, below parent: AnswerTarget?, key: String) {
        for member in object.members {
            let key = key.isEmpty ? member.key : "\(key)/\(member.key)"
            let target: AnswerTarget
            do throws(QuestionnaireForm.KeyProblem) {
                target = try form.target(of: member.key, below: parent)
            } catch {
                switch error {
                case .unknown:
                    report("link-id-unknown", at: key, linkID: nil, message: "The form has no item of this linkId.")
                case .misplaced(let item):
                    report(
                        "item-misplaced", at: key, linkID: item.linkID,
                        message: "The item is at another path in the form.")
                }
                continue
            }
            guard let item = target.item else { continue }
            let values = member.value.isNull ? [] : member.value.array ?? [member.value]
            if values.isEmpty, item.isQuestion { answers.append(AnswerEntry(target: target, value: nil, key: key)) }
            for (number, value) in values.enumerated() {
                var target = target
                if number > 0 || target.steps[target.steps.count - 1].instance != nil || values.count > 1 {
                    target.steps[target.steps.count - 1].instance =
                        (target.steps[target.steps.count - 1].instance ?? 0) + number
                }
                read(value, item: item, target: target, key: key)
            }
        }
    }

    private mutating func read(_ value: JSON, item: FormItem, target: AnswerTarget, key: String) {
        switch item.type {
        case .group:
            guard let members = value.object else {
                report(
                    "group-answered", at: key, linkID: item.linkID,
                    message: "A group takes an object of its items, not an answer.")
                return
            }
            read(members["item"]?.object ?? members, below: target, key: key)
        case .display:
            report("display-answered", at: key, linkID: item.linkID, message: "A display item takes no answer.")
        default:
            var target = target
            let own = target.steps[target.steps.count - 1].instance ?? 0
            target.steps[target.steps.count - 1].instance = own
            answers.append(AnswerEntry(target: target, value: value["value"] ?? value, key: key))
            if let members = value["item"] {
                guard let members = members.object else {
                    report(
                        "answers-malformed", at: key, linkID: item.linkID,
                        message: "The member item must be an object of linkIds.")
                    return
                }
                read(members, below: target, key: key)
            }
        }
    }

    private mutating func report(_ code: String, at key: String, linkID: String?, message: Sentence) {
        problems.append(ResponseProblem(code: code, expression: key, linkID: linkID, sentence: message))
    }
}
