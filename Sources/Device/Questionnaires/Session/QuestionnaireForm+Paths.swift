extension QuestionnaireForm {
    /// Returns the question or group of a path as text, such as `group[1]/child`; the groups above are optional, and
    /// without a number the first repetition is meant. Nil if the form has no such path.
    ///
    /// - Returns: the path without the number of its last step, its item, and that number.
    package func located(_ written: String) -> (path: ItemPath, item: FormItem, instance: Int?)? {
        guard let found = try? resolve(written) else { return nil }
        return (found.path, found.item, found.answer)
    }

    /// The items of the form in its order.
    package var allItems: [FormItem] { all }

    /// Returns the items above an item, the outermost first.
    package func ancestors(of item: FormItem) -> [FormItem] { item.ancestors.map { all[$0] } }
}

extension FormItem {
    /// Whether conditions or an expression decide about the enablement of the item itself.
    package var isConditional: Bool { !conditions.isEmpty || expressions?.enablement != nil }
}

extension FormSession {
    /// Sets the answers of many questions, and determines the enabled items once. An answer below another one is set
    /// after it. A group gets its next instance if a path needs it, and none after that.
    ///
    /// - Parameter groups: the paths of instances that exist even without answers.
    /// - Returns: the indexes of answers that have no question, or no answer above them.
    package mutating func setAnswers(
        _ all: [(path: ItemPath, values: [AnswerValue])], beginning groups: [ItemPath]
    ) -> [Int] {
        var refused: [Int] = []
        // The index of a group is after those of the answers.
        let depths = all.map(\.path.steps.count) + groups.map(\.steps.count)
        for index in depths.indices.sorted(by: { (depths[$0], $0) < (depths[$1], $1) }) {
            guard index < all.count else {
                let path = groups[index - all.count]
                beginGroups(along: path.steps)
                continue
            }
            let (path, values) = all[index]
            beginGroups(along: path.steps.dropLast())
            if !enter(values, at: path) { refused.append(index) }
        }
        update()
        return refused
    }

    /// Removes an instance of a group and those after it. The first one is kept.
    package mutating func removeGroups(from path: ItemPath) {
        guard let first = path.steps.last?.instance, first > 0 else { return }
        var last = path
        while instanceCount(at: path) > first {
            last.steps[last.steps.count - 1].instance = instanceCount(at: path) - 1
            guard removeGroup(at: last) else { return }
        }
    }

    private mutating func beginGroups(along steps: some Sequence<ItemPath.Step>) {
        var above = ItemPath([])
        for step in steps {
            above.steps.append(step)
            if form.item(step.linkID)?.type == .group, step.instance == instanceCount(at: above) {
                _ = createGroup(at: above)
            }
        }
    }
}
