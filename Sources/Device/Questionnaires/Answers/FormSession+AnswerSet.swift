import FHIR

extension FormSession {
    /// The enabled answers by their paths, in the form that ``AnswerSet`` reads.
    public var answerSet: AnswerSet {
        var object = JSONObject()
        for entry in entries(includingHidden: true) where !entry.answers.isEmpty {
            object[key(entry.path)] = .array(
                entry.answers.map { answer in
                    var value = JSONObject()
                    value["value" + answer.type] = answer.json
                    return .object(value)
                })
        }
        return AnswerSet(.object(object))
    }

    /// Returns the path as text. Unlike its description, it contains the number of an answer with items below even if
    /// it is the first.
    private func key(_ path: ItemPath) -> String {
        path.steps.enumerated().map { depth, step in
            let isBelowAnswer = depth < path.steps.count - 1 && form.item(step.linkID)?.isQuestion ?? false
            return step.instance == 0 && !isBelowAnswer ? step.linkID : "\(step.linkID)[\(step.instance)]"
        }.joined(separator: "/")
    }
}
