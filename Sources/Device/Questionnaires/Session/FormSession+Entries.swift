extension FormSession {
    /// One item as a front end shows it.
    public struct Entry: Sendable {
        /// The item of the form.
        public let item: FormItem
        /// The place of the item in the session: of a group with the number of its instance.
        public let path: ItemPath
        /// The answers of a question in their order; empty for a group or a display item.
        public let answers: [AnswerValue]
    }

    /// The enabled items in order, each with its answers: a group before what is in it, once for each instance; a
    /// question before what is below each of its answers. Hidden items, and all in them, are left out unless asked for.
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

    /// How many of the questions that a person sees have an answer.
    public var progress: (answered: Int, total: Int) {
        let questions = entries().filter { $0.item.isQuestion && !$0.item.isReadOnly }
        return (questions.count { !$0.answers.isEmpty }, questions.count)
    }

    /// The next question that a person sees behind the path; the first where there is no path.
    public func nextQuestion(after path: ItemPath? = nil) -> Entry? {
        let entries = entries()
        guard let path else { return entries.first { $0.item.isQuestion } }
        guard let index = entries.firstIndex(where: { $0.path == path }) else { return nil }
        return entries[(index + 1)...].first { $0.item.isQuestion }
    }

    /// The last question that a person sees before the path.
    public func previousQuestion(before path: ItemPath) -> Entry? {
        let entries = entries()
        guard let index = entries.firstIndex(where: { $0.path == path }) else { return nil }
        return entries[..<index].last { $0.item.isQuestion }
    }
}
