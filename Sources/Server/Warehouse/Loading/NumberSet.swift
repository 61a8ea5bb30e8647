/// A set of numbers that lie close together, as those of rows that were stored one after the other: a bit for each.
struct NumberSet: Sendable {
    private static let wordsPerPage = 64
    private var pages: [Int64: [UInt64]] = [:]

    /// Puts a number in; false where it was there already.
    mutating func insert(_ number: Int64) -> Bool {
        let bit = UInt64(1) << UInt64(truncatingIfNeeded: number & 63)
        let word = Int(truncatingIfNeeded: (number >> 6) & 63)
        let wasNew = (pages[number >> 12]?[word] ?? 0) & bit == 0
        pages[number >> 12, default: Array(repeating: 0, count: Self.wordsPerPage)][word] |= bit
        return wasNew
    }
}
