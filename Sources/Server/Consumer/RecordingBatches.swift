/// Batches in which a device queue's submissions are recorded: consecutive small ones share a transaction, which waits
/// for the disk only once; a large one has its own. Pure.
enum RecordingBatches {
    /// Maximum sealed bytes of a batch. A resource takes some hundreds of bytes, so that a batch takes a fraction of a
    /// second.
    static let maximumBytes = 128 << 10

    /// Splits the submissions of a device queue without changing their order.
    ///
    /// - Parameter sizes: sizes of the submissions in bytes, in order.
    /// - Returns: the index ranges of the batches.
    static func split(_ sizes: [Int]) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var (begin, bytes) = (0, 0)
        for (index, size) in sizes.enumerated() {
            if index > begin, bytes + size > maximumBytes {
                batches.append(begin..<index)
                (begin, bytes) = (index, 0)
            }
            bytes += size
        }
        if begin < sizes.count { batches.append(begin..<sizes.count) }
        return batches
    }
}
