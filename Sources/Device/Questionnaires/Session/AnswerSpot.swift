/// The question of a path, and the index of an answer.
struct AnswerSpot: Sendable {
    /// The path of the question. The number of the last step is ignored.
    let path: ItemPath
    let item: FormItem
    /// The index of the answer; nil for the question as a whole.
    let answer: Int?
    /// The path in the form that the app passed.
    let written: String

    func problem(_ code: String, _ message: String) -> ResponseProblem {
        ResponseProblem(code: code, expression: written, linkID: item.linkID, message: message)
    }
}

extension QuestionnaireForm {
    /// Finds the target of a path. The items above are optional; without a number the first repetition is used.
    func spot(_ written: String) throws(ResponseProblem) -> AnswerSpot {
        func problem(_ code: String, _ linkID: String?, _ message: String) -> ResponseProblem {
            ResponseProblem(code: code, expression: written, linkID: linkID, message: message)
        }
        let place: AnswerPlace
        do throws(KeyProblem) {
            place = try self.place(of: written)
        } catch {
            switch error {
            case .unknown: throw problem("link-id-unknown", nil, "The form has no item of this linkId.")
            case .misplaced(let item):
                throw problem("item-misplaced", item.linkID, "The item is at another path in the form.")
            }
        }
        guard let item = place.item else {
            throw problem("link-id-unknown", nil, "The form has no item of this linkId.")
        }
        let steps = place.steps.dropLast().map { ItemPath.Step(linkID: $0.item.linkID, instance: $0.instance ?? 0) }
        return AnswerSpot(
            path: ItemPath(steps + [ItemPath.Step(linkID: item.linkID)]), item: item,
            answer: place.steps.last?.instance, written: written)
    }
}
