/// The target of an answer in an answers file: the items from the top to the question, each with the repetition in the
/// file.
struct AnswerTarget: Sendable {
    struct Step: Sendable {
        let item: FormItem
        /// The repetition; nil if the file does not specify it.
        var instance: Int?
    }

    var steps: [Step]

    /// The item at the end.
    var item: FormItem? { steps.last?.item }
}

extension QuestionnaireForm {
    /// The reason why a key of an answers file has no target.
    enum KeyProblem: Error {
        case unknown
        /// The item exists, but not below the items in the key or in the enclosing object.
        case misplaced(FormItem)
    }

    /// Finds the target of `child`, `group/child` or `group[1]/child`. The items above are optional in the key.
    ///
    /// LinkIds can contain slashes and brackets: a text that equals a linkId of the form is that linkId.
    func target(of key: String, below parent: AnswerTarget? = nil) throws(KeyProblem) -> AnswerTarget {
        guard let named = steps(in: key[...]) else {
            // If the form contains the last part, only the path to the item is wrong.
            if let last = key.split(separator: "/").last, let item = step(last)?.item { throw .misplaced(item) }
            throw .unknown
        }
        guard let item = named.last?.item else { throw .unknown }
        var steps = item.ancestors.map { AnswerTarget.Step(item: all[$0], instance: nil) }
        steps.append(AnswerTarget.Step(item: item, instance: named.last?.instance))
        for (depth, above) in (parent?.steps ?? []).enumerated() {
            guard depth < steps.count - 1, steps[depth].item === above.item else { throw .misplaced(item) }
            steps[depth].instance = above.instance
        }
        for step in named.dropLast() {
            guard let depth = steps.firstIndex(where: { $0.item === step.item }) else { throw .misplaced(item) }
            if let instance = step.instance { steps[depth].instance = instance }
        }
        return AnswerTarget(steps: steps)
    }

    /// Returns the items in the key, each above the next; nil if the key cannot be parsed or has more than 200 slashes.
    private func steps(in key: Substring) -> [AnswerTarget.Step]? {
        if let step = step(key) { return [step] }
        let starts = [key.startIndex] + key.indices.filter { key[$0] == "/" }.map { key.index(after: $0) }
        guard starts.count <= 201 else { return nil }
        // The steps from each start to the end.
        var found = [[AnswerTarget.Step]](repeating: [], count: starts.count)
        for (index, start) in starts.enumerated().reversed() {
            found[index] = step(key[start...]).map { [$0] } ?? []
            for next in (index + 1)..<starts.count where found[index].isEmpty {
                guard let below = found[next].first, let first = step(key[start..<key.index(before: starts[next])]),
                    below.item.ancestors.contains(first.item.index)
                else { continue }
                found[index] = [first] + found[next]
            }
        }
        return found[0].isEmpty ? nil : found[0]
    }

    /// Parses a linkId with an optional number in brackets.
    private func step(_ text: Substring) -> AnswerTarget.Step? {
        if let item = item(String(text)) { return AnswerTarget.Step(item: item, instance: nil) }
        guard text.hasSuffix("]"), let open = text.lastIndex(of: "["),
            let number = Int(text[text.index(after: open)...].dropLast()), number >= 0,
            let item = item(String(text[..<open]))
        else { return nil }
        return AnswerTarget.Step(item: item, instance: number)
    }
}
