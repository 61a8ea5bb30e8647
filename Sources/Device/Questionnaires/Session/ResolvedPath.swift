/// The question of a path, and the index of an answer.
struct ResolvedPath: Sendable {
    /// The path of the question. The number of the last step is ignored.
    let path: ItemPath
    let item: FormItem
    /// The index of the answer; nil for the question as a whole.
    let answer: Int?
    /// The path in the form that the app passed.
    let written: String

    func problem(_ code: String, _ message: Sentence) -> ResponseProblem {
        ResponseProblem(code: code, expression: written, linkID: item.linkID, sentence: message)
    }
}

extension QuestionnaireForm {
    /// Finds the target of a path. The items above are optional; without a number the first repetition is used.
    func resolve(_ written: String) throws(ResponseProblem) -> ResolvedPath {
        func problem(_ code: String, linkID: String?, message: Sentence) -> ResponseProblem {
            ResponseProblem(code: code, expression: written, linkID: linkID, sentence: message)
        }
        let target: AnswerTarget
        do throws(KeyProblem) {
            target = try self.target(of: written)
        } catch {
            switch error {
            case .unknown:
                throw problem("link-id-unknown", linkID: nil, message: "The form has no item of this linkId.")
            case .misplaced(let item):
                throw problem(
                    "item-misplaced", linkID: item.linkID, message: "The item is at another path in the form.")
            }
        }
        guard let item = target.item else {
            throw problem("link-id-unknown", linkID: nil, message: "The form has no item of this linkId.")
        }
        let steps = target.steps.dropLast().map { ItemPath.Step(linkID: $0.item.linkID, instance: $0.instance ?? 0) }
        return ResolvedPath(
            path: ItemPath(steps + [ItemPath.Step(linkID: item.linkID)]), item: item,
            answer: target.steps.last?.instance, written: written)
    }
}
