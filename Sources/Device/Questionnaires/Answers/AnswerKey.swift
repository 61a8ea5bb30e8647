/// The place where an answers file puts an answer: the items from the top to the question, each with the repetition
/// that the file names.
struct AnswerPlace: Sendable {
    struct Step: Sendable {
        let item: FormItem
        /// nil where the file does not say which.
        var instance: Int?
    }

    var steps: [Step]

    /// The item at the end.
    var item: FormItem? { steps.last?.item }
}

extension QuestionnaireForm {
    /// The reason that a key of an answers file leads nowhere.
    enum KeyProblem: Error {
        case unknown
        /// The item is there, but not below the items that the key, or the object it stands in, names.
        case misplaced(FormItem)
    }

    /// Finds the place of `child`, `group/child` or `group[1]/child`. The items above need not be named.
    ///
    /// LinkIds may themselves hold slashes and brackets; what the form has as a linkId is one.
    func place(of key: String, below parent: AnswerPlace? = nil) throws(KeyProblem) -> AnswerPlace {
        guard let named = steps(in: key[...]) else {
            // The last part alone tells whether the item or only the way to it is unknown.
            if let last = key.split(separator: "/").last, let item = step(last)?.item { throw .misplaced(item) }
            throw .unknown
        }
        guard let item = named.last?.item else { throw .unknown }
        var steps = item.ancestors.map { AnswerPlace.Step(item: all[$0], instance: nil) }
        steps.append(AnswerPlace.Step(item: item, instance: named.last?.instance))
        for (depth, above) in (parent?.steps ?? []).enumerated() {
            guard depth < steps.count - 1, steps[depth].item === above.item else { throw .misplaced(item) }
            steps[depth].instance = above.instance
        }
        for step in named.dropLast() {
            guard let depth = steps.firstIndex(where: { $0.item === step.item }) else { throw .misplaced(item) }
            if let instance = step.instance { steps[depth].instance = instance }
        }
        return AnswerPlace(steps: steps)
    }

    /// The items that the key names, each above the next; nil where there is no way to read it so.
    private func steps(in key: Substring) -> [AnswerPlace.Step]? {
        if let step = step(key) { return [step] }
        var search = key.startIndex
        while let slash = key[search...].firstIndex(of: "/") {
            search = key.index(after: slash)
            guard let first = step(key[..<slash]), let rest = steps(in: key[search...]) else { continue }
            if let next = rest.first, next.item.ancestors.contains(first.item.index) { return [first] + rest }
        }
        return nil
    }

    /// A linkId, with or without a number in brackets.
    private func step(_ text: Substring) -> AnswerPlace.Step? {
        if let item = item(String(text)) { return AnswerPlace.Step(item: item, instance: nil) }
        guard text.hasSuffix("]"), let open = text.lastIndex(of: "["),
            let number = Int(text[text.index(after: open)...].dropLast()), number >= 0,
            let item = item(String(text[..<open]))
        else { return nil }
        return AnswerPlace.Step(item: item, instance: number)
    }
}
