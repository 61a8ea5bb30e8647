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

    /// A number that changes with the visible questions, and with the groups that have answers. While it is the same, the
    /// questions of a walk through the form are the same.
    package var shape: Int { state.shape }

    /// Returns the enabled items in order, each with its answers: a group before its content, once for each instance; a
    /// question before the items below each of its answers. Hidden items and their content are omitted by default.
    public func entries(includingHidden: Bool = false) -> [Entry] {
        var entries: [Entry] = []
        func visit(_ block: Int, below parent: Int, _ above: [ItemPath.Step]) {
            guard block >= 0 else { return }
            for node in block..<(block + state.items(below: parent).count) {
                let item = state.nodes[node].item
                guard state.nodes[node].isEnabled, includingHidden || !item.isHidden else { continue }
                var here = above + [ItemPath.Step(linkID: item.linkID)]
                let isGroup = item.type == .group
                if !isGroup {
                    entries.append(Entry(item: item, path: ItemPath(here), answers: state.nodes[node].answers))
                }
                for (slot, below) in state.nodes[node].blocks.enumerated() {
                    here[here.count - 1].instance = slot
                    if isGroup { entries.append(Entry(item: item, path: ItemPath(here), answers: [])) }
                    visit(below, below: node, here)
                }
            }
        }
        if !state.nodes.isEmpty { visit(0, below: -1, []) }
        return entries
    }

    /// The number of visible questions with an answer, and the number of visible questions. Read-only questions are not
    /// counted.
    public var progress: (answered: Int, total: Int) { (state.answered, state.questions) }

    /// Returns the next visible question after the path; the first one if there is no path.
    public func nextQuestion(after path: ItemPath? = nil) -> Entry? {
        guard !state.nodes.isEmpty else { return nil }
        var next: Int? = 0
        if let path {
            guard let node = node(at: path), isVisible(node) else { return nil }
            next = successor(of: node, slot: path.steps.last?.instance ?? 0)
        }
        while let node = next {
            if isVisible(node), state.nodes[node].item.isQuestion { return entry(node) }
            next = successor(of: node, slot: isVisible(node) ? 0 : state.nodes[node].blocks.count)
        }
        return nil
    }

    /// Returns the last visible question before the path.
    public func previousQuestion(before path: ItemPath) -> Entry? {
        guard var node = node(at: path), isVisible(node) else { return nil }
        let slot = state.nodes[node].item.type == .group ? path.steps.last?.instance ?? 0 : 0
        if let found = lastQuestion(in: state.nodes[node].blocks.prefix(max(0, slot)), below: node) { return found }
        while true {
            let (parent, block) = (state.nodes[node].parent, state.nodes[node].block)
            for sibling in (block..<node).reversed() {
                if let found = lastQuestion(in: sibling) { return found }
            }
            guard parent >= 0 else { return nil }
            let earlier = state.nodes[parent].blocks.prefix(state.nodes[node].slot)
            if let found = lastQuestion(in: earlier, below: parent) { return found }
            if state.nodes[parent].item.isQuestion { return entry(parent) }
            node = parent
        }
    }

    private func isVisible(_ node: Int) -> Bool { state.nodes[node].isEnabled && !state.nodes[node].item.isConcealed }

    private func entry(_ node: Int) -> Entry {
        Entry(item: state.nodes[node].item, path: state.path(of: node), answers: state.nodes[node].answers)
    }

    /// Returns the first node inside of a node, from an instance or answer on, or the node after it.
    private func successor(of node: Int, slot: Int) -> Int? {
        if let block = state.nodes[node].blocks.dropFirst(max(0, slot)).first(where: { $0 >= 0 }) { return block }
        var node = node
        while true {
            let (parent, block) = (state.nodes[node].parent, state.nodes[node].block)
            if node + 1 < block + state.items(below: parent).count { return node + 1 }
            guard parent >= 0 else { return nil }
            let later = state.nodes[parent].blocks.dropFirst(state.nodes[node].slot + 1)
            if let next = later.first(where: { $0 >= 0 }) { return next }
            node = parent
        }
    }

    private func lastQuestion(in blocks: ArraySlice<Int>, below parent: Int) -> Entry? {
        for block in blocks.reversed() where block >= 0 {
            for node in (block..<(block + state.items(below: parent).count)).reversed() {
                if let found = lastQuestion(in: node) { return found }
            }
        }
        return nil
    }

    private func lastQuestion(in node: Int) -> Entry? {
        guard isVisible(node) else { return nil }
        if let found = lastQuestion(in: state.nodes[node].blocks[...], below: node) { return found }
        return state.nodes[node].item.isQuestion ? entry(node) : nil
    }
}
