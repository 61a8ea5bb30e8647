extension FormSession {
    /// One item for display by a front end.
    public struct Entry: Sendable {
        /// The item of the form.
        public let item: FormItem
        /// The path of the item in the session; for a group with the number of its instance.
        public let path: ItemPath
        /// The answers of a question in their order; empty for a group or a display item.
        public let answers: [AnswerValue]
    }

    /// Returns the enabled items in order, each with its answers: a group before its content, once for each instance; a
    /// question before the items below each of its answers. Hidden items and their content are omitted by default.
    public func entries(includingHidden: Bool = false) -> [Entry] {
        var entries: [Entry] = []
        func visit(_ states: [ItemState], _ above: [ItemPath.Step]) {
            for state in states where state.isEnabled && (includingHidden || !state.item.isHidden) {
                var here = above + [ItemPath.Step(linkID: state.item.linkID)]
                if state.item.type == .group {
                    for (index, group) in state.groups.enumerated() {
                        here[here.count - 1].instance = index
                        entries.append(Entry(item: state.item, path: ItemPath(here), answers: []))
                        visit(group.children, here)
                    }
                    continue
                }
                entries.append(Entry(item: state.item, path: ItemPath(here), answers: state.answers.map(\.value)))
                for (index, answer) in state.answers.enumerated() {
                    here[here.count - 1].instance = index
                    visit(answer.children, here)
                }
            }
        }
        visit(root, [])
        return entries
    }

    /// The number of visible questions with an answer, and the number of visible questions.
    public var progress: (answered: Int, total: Int) {
        let questions = entries().filter { $0.item.isQuestion && !$0.item.isReadOnly }
        return (questions.count { !$0.answers.isEmpty }, questions.count)
    }

    /// Returns the next visible question after the path; the first one if there is no path.
    public func nextQuestion(after path: ItemPath? = nil) -> Entry? {
        let entries = entries()
        guard let path else { return entries.first { $0.item.isQuestion } }
        guard let index = entries.firstIndex(where: { $0.path == path }) else { return nil }
        return entries[(index + 1)...].first { $0.item.isQuestion }
    }

    /// Returns the last visible question before the path.
    public func previousQuestion(before path: ItemPath) -> Entry? {
        let entries = entries()
        guard let index = entries.firstIndex(where: { $0.path == path }) else { return nil }
        return entries[..<index].last { $0.item.isQuestion }
    }
}
