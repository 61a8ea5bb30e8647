/// A set of numbers that are close together, such as those of consecutively stored rows, with one bit for each.
struct NumberSet: Sendable {
    private static let wordsPerPage = 64
    private var pages: [Int64: [UInt64]] = [:]

    /// Inserts a number; returns false if it is already in the set.
    mutating func insert(_ number: Int64) -> Bool {
        let bit = UInt64(1) << UInt64(truncatingIfNeeded: number & 63)
        let word = Int(truncatingIfNeeded: (number >> 6) & 63)
        let wasNew = (pages[number >> 12]?[word] ?? 0) & bit == 0
        pages[number >> 12, default: Array(repeating: 0, count: Self.wordsPerPage)][word] |= bit
        return wasNew
    }
}
