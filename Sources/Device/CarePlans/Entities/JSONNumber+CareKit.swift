import Core

extension JSONNumber {
    /// The value that CareKit's decoder reads as a `Double`; nil for a number that is too large, or so close to 0 that its
    /// `Double` is 0. Foundation's decoder refuses the whole text for both.
    var careDouble: Double? {
        let value = double
        guard value.isFinite else { return nil }
        return value == 0 && hasNonzeroDigit ? nil : value
    }

    /// Whether the digits before the exponent are not all 0.
    private var hasNonzeroDigit: Bool {
        text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (0x31...0x39).contains($0) }
    }
}
