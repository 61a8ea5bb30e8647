/// One item at one path, as a tree: its answers, or the instances of a group.
package struct ItemState {
    package struct AnswerState {
        package let value: AnswerValue
        package let children: [ItemState]
    }

    package struct GroupState {
        package let children: [ItemState]
        package var hasAnswers: Bool {
            children.contains { !$0.answers.isEmpty || $0.groups.contains { $0.hasAnswers } }
        }
    }

    package let item: FormItem
    package let isEnabled: Bool
    package let answers: [AnswerState]
    package let groups: [GroupState]
}

extension FormSession {
    package var root: [ItemState] { state.nodes.isEmpty ? [] : items(0, below: -1) }

    package func state(at path: ItemPath) -> ItemState? { node(at: path).map { item($0) } }

    private func items(_ block: Int, below parent: Int) -> [ItemState] {
        block < 0 ? [] : (block..<(block + state.items(below: parent).count)).map { item($0) }
    }

    private func item(_ node: Int) -> ItemState {
        let item = state.nodes[node].item
        let blocks = state.nodes[node].blocks.map { items($0, below: node) }
        return ItemState(
            item: item, isEnabled: state.nodes[node].isEnabled,
            answers: zip(state.nodes[node].answers, blocks).map { ItemState.AnswerState(value: $0, children: $1) },
            groups: item.type == .group ? blocks.map { ItemState.GroupState(children: $0) } : [])
    }
}
