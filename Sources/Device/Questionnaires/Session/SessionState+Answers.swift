import FHIR

extension SessionState {
    /// Replaces the answers of a question. Items below an answer that is still present keep their content.
    mutating func setAnswers(_ values: [AnswerValue], _ node: Int) {
        let item = nodes[node].item
        let old = nodes[node].answers
        let oldBlocks = nodes[node].blocks
        guard !item.children.isEmpty else {
            nodes[node].answers = values
            nodes[node].blocks = [Int](repeating: -1, count: values.count)
            return finish(node)
        }
        if !item.repeats, values.count <= 1 {
            // A single answer that replaces another is treated as a correction, and keeps the items below it.
            let kept = oldBlocks.first ?? nodes[node].detached
            for block in oldBlocks.dropFirst() { removeBlock(block, below: node) }
            nodes[node].detached = nil
            nodes[node].answers = values
            nodes[node].blocks = []
            if values.isEmpty {
                if let kept, !old.isEmpty { leave(kept, below: node) }
                nodes[node].detached = kept
            } else if let kept {
                nodes[node].blocks = [kept]
                if oldBlocks.isEmpty { enter(kept, below: node) }
            } else {
                nodes[node].blocks = [makeBlock(below: node, slot: 0, hasInitial: true)]
            }
            return finish(node)
        }
        var unused = Array(zip(old, oldBlocks))
        if let detached = nodes[node].detached {
            removeBlock(detached, below: node)
            nodes[node].detached = nil
        }
        nodes[node].answers = values
        // The blocks that stay must be found while others come and go, because they depend on them.
        nodes[node].blocks = values.map { value in
            unused.firstIndex { $0.0 == value }.map { unused.remove(at: $0).1 } ?? -1
        }
        for (slot, block) in nodes[node].blocks.enumerated() {
            if block >= 0 {
                renumber(block, below: node, slot: slot)
            } else {
                nodes[node].blocks[slot] = makeBlock(below: node, slot: slot, hasInitial: true)
            }
        }
        for (_, block) in unused { removeBlock(block, below: node) }
        finish(node)
    }

    private mutating func finish(_ node: Int) {
        refreshCount(node)
        refreshContent(node)
        changed(node)
    }

    /// Adds an instance to a group.
    mutating func addInstance(_ node: Int) {
        let slot = nodes[node].blocks.count
        nodes[node].blocks.append(-1)
        nodes[node].blocks[slot] = makeBlock(below: node, slot: slot, hasInitial: true)
        refreshContent(node)
        changed(node)
    }

    /// Removes an instance of a group; the last one is emptied instead.
    mutating func removeInstance(_ slot: Int, of node: Int) {
        removeBlock(nodes[node].blocks[slot], below: node)
        nodes[node].blocks.remove(at: slot)
        if nodes[node].blocks.isEmpty {
            nodes[node].blocks = [makeBlock(below: node, slot: 0, hasInitial: false)]
        }
        for next in slot..<nodes[node].blocks.count { renumber(nodes[node].blocks[next], below: node, slot: next) }
        refreshContent(node)
        changed(node)
    }
}
