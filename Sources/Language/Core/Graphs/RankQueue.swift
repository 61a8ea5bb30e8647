/// Items in the order of their ranks: a binary heap.
package struct RankQueue: Sendable {
    private var heap: [(rank: Int, item: Int)] = []

    /// Creates a queue without items.
    package init() {}

    package var isEmpty: Bool { heap.isEmpty }

    package mutating func insert(_ rank: Int, _ item: Int) {
        heap.append((rank, item))
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].rank < heap[parent].rank else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    /// Removes and returns the item with the least rank.
    package mutating func popFirst() -> Int? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.item }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].rank < heap[least].rank
            {
                least = child
            }
            guard least != index else { return first.item }
            heap.swapAt(index, least)
            index = least
        }
    }
}
