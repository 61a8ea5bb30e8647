/// The runs in which a device's submissions are recorded: small ones that stand together share a transaction, so that the disk
/// is waited for once for all of them; a large one has its own. Pure.
enum LaneRuns {
    /// So many sealed bytes are recorded together. A resource takes some hundreds of them, so that a run is over in a fraction
    /// of a second.
    static let mostBytes = 128 << 10

    /// Splits the submissions of a lane, none of which changes its place.
    ///
    /// - Parameter sizes: their bytes, in their order.
    /// - Returns: the places of each run; one empty run where there are none.
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
