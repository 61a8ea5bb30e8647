/// Batches in which a device queue's submissions are recorded: consecutive small ones share a transaction, which waits
/// for the disk only once; a large one has its own. Pure.
enum LaneRuns {
    /// Maximum sealed bytes of a batch. A resource takes some hundreds of bytes, so that a batch takes a fraction of a
    /// second.
    static let mostBytes = 128 << 10

    /// Splits the submissions of a device queue without changing their order.
    ///
    /// - Parameter sizes: sizes of the submissions in bytes, in order.
    /// - Returns: the index ranges of the batches; one empty batch for an empty queue.
    static func split(_ sizes: [Int]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var (begin, bytes) = (0, 0)
        for (place, size) in sizes.enumerated() {
            if place > begin, bytes + size > mostBytes {
                runs.append(begin..<place)
                (begin, bytes) = (place, 0)
            }
            bytes += size
        }
        runs.append(begin..<sizes.count)
        return runs
    }
}
