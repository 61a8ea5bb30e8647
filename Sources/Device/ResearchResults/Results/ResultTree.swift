import Core

/// The results in a result, in document order: the result itself, then each element of its `results`, at any depth.
///
/// Objects of unknown classes are visited like others: a result of an app's own class may contain results too.
struct ResultTree: Sequence {
    /// Maximum number of results that are visited.
    static let maximumResults = 100_000

    private let root: JSON

    init(_ root: JSON) { self.root = root }

    func makeIterator() -> Iterator { Iterator(root) }

    struct Iterator: IteratorProtocol {
        /// The results to visit, the next one last. An explicit stack: the depth of untrusted input is not that of calls.
        private var open: [JSON]
        private var left = ResultTree.maximumResults

        init(_ root: JSON) { open = [root] }

        mutating func next() -> JSONObject? {
            while let value = open.popLast() {
                guard left > 0 else { return nil }
                left -= 1
                guard let object = value.object else { continue }
                open.append(contentsOf: (object["results"]?.array ?? []).reversed())
                return object
            }
            return nil
        }
    }

    /// Whether there are more values than are visited.
    var exceedsLimit: Bool {
        var iterator = makeIterator()
        while iterator.next() != nil {}
        return iterator.isCut
    }
}

extension ResultTree.Iterator {
    /// Whether the iterator stopped at the limit.
    fileprivate var isCut: Bool { left == 0 && !open.isEmpty }
}
