/// Converts the bytes of an export to legal UTF-8 without forbidden characters, in the same buffer and eight at a time.
///
/// A byte that XML forbids, or that is not UTF-8, is replaced by ``mark``. Outside of values it is treated as white
/// space; inside, it makes the value unreadable. The element is counted as repaired.
struct MarkupCleaner {
    /// DEL: a legal character that no export contains.
    static let mark: UInt8 = 0x7F

    private(set) var illegalCharacters = 0
    private(set) var invalidUTF8 = 0

    /// Whether any byte was replaced so far.
    var hasMarks: Bool { illegalCharacters + invalidUTF8 > 0 }

    private static let sevens: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080
    private static let blanks: UInt64 = 0x2020_2020_2020_2020

    /// Cleans the bytes after `start`.
    ///
    /// - Returns: the end of the clean bytes, before a character whose last bytes are not available yet.
    mutating func clean(_ bytes: UnsafeMutableBufferPointer<UInt8>, from start: Int, isLast: Bool) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let count = bytes.count
        var offset = start
        while offset < count {
            if offset + 8 <= count {
                let word = UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self)
                // Detects a byte of 0x7F or more, or a byte below 0x20 (each byte has its high bit set, so that the
                // subtraction does not borrow).
                let high = (((word & Self.sevens) &+ Self.ones) | word) & Self.highs
                let low = ~((word | Self.highs) &- Self.blanks) & Self.highs
                if high | low == 0 {
                    offset += 8
                    continue
                }
                offset += (high | low).trailingZeroBitCount >> 3
            }
            let byte = base[offset]
            if byte >= 0x80 {
                guard let length = Self.length(base + offset, available: count - offset, isLast: isLast) else {
                    return offset
                }
                if length == 0 {
                    invalidUTF8 += 1
                    base[offset] = Self.mark
                    offset += 1
                } else {
                    offset += length
                }
            } else {
                if byte == Self.mark || byte < 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 {
                    illegalCharacters += 1
                    base[offset] = Self.mark
                }
                offset += 1
            }
        }
        return offset
    }

    /// Returns the length of the UTF-8 sequence of a legal character, 0 if there is none, nil if more bytes are needed.
    private static func length(_ bytes: UnsafePointer<UInt8>, available: Int, isLast: Bool) -> Int? {
        let lead = bytes[0]
        let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
        guard length > 0 else { return 0 }
        for index in 1..<length {
            guard index < available else { return isLast ? 0 : nil }
            let byte = bytes[index]
            var range: ClosedRange<UInt8> = 0x80...0xBF
            if index == 1 {
                switch lead {
                case 0xE0: range = 0xA0...0xBF
                case 0xED: range = 0x80...0x9F
                case 0xF0: range = 0x90...0xBF
                case 0xF4: range = 0x80...0x8F
                default: break
                }
            }
            guard range.contains(byte) else { return 0 }
        }
        // U+FFFE and U+FFFF are not characters.
        if lead == 0xEF, bytes[1] == 0xBF, bytes[2] >= 0xBE { return 0 }
        return length
    }
}
