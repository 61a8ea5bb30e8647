/// Stack of the elements of the arrays and objects that are still open, innermost last. Returns the elements of a
/// closed one as an array of exactly their number: one allocation for each, and no growth.
///
/// The owner must call ``free()`` once, at the end.
struct ParseStack<Element> {
    private var start: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    subscript(index: Int) -> Element { start[index] }

    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (start + count).initialize(to: element)
        count += 1
    }

    /// Removes and returns the elements from an index on.
    mutating func take(from first: Int) -> [Element] {
        let number = count - first
        count = first
        return Array(unsafeUninitializedCapacity: number) { [start] buffer, filled in
            buffer.baseAddress?.moveInitialize(from: start + first, count: number)
            filled = number
        }
    }

    /// Removes the elements from an index on.
    mutating func drop(from first: Int) {
        (start + first).deinitialize(count: count - first)
        count = first
    }

    func free() {
        start.deinitialize(count: count)
        start.deallocate()
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
        capacity *= 2
    }
}
