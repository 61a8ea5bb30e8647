/// Hours found in a text, at any offset. Texts of the same hour give the same number whatever else differs, so that
/// data in the order of their digests can be ordered by the hour first. The hour may be wrong, but is the same for the
/// same text.
///
/// Hours are read from dates such as `2026-03-01T08` and `20260301080000` as they are written, and computed from
/// seconds and milliseconds since 1970. Within one form, later hours have larger numbers.
public enum WrittenHour {
    /// Returns the first hour in a UTF-8 text; nil if it contains none.
    public static func first(in text: UnsafeRawBufferPointer) -> UInt32? { hour(in: text, isLast: false) }

    /// Returns the last hour in a UTF-8 text; nil if it contains none.
    public static func last(in text: UnsafeRawBufferPointer) -> UInt32? { hour(in: text, isLast: true) }

    private static func hour(in text: UnsafeRawBufferPointer, isLast: Bool) -> UInt32? {
        var found: UInt32?
        var index = 0
        while index < text.count {
            guard isDigit(text[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, isDigit(text[index]) { index += 1 }
            guard let hour = hour(in: text, at: start, length: index - start) else { continue }
            found = hour
            guard isLast else { break }
        }
        return found
    }

    /// Returns the hour that a sequence of digits contains or begins.
    private static func hour(in text: UnsafeRawBufferPointer, at start: Int, length: Int) -> UInt32? {
        switch length {
        case 4: separated(text, start)
        // The years 2001 to 2286.
        case 10, 13: text[start] == UInt8(ascii: "0") ? nil : UInt32(number(in: text, at: start, count: 10) / 3_600)
        case 14, 17: hour(text, start, month: 4, day: 6, hour: 8)
        default: nil
        }
    }

    private static func separated(_ text: UnsafeRawBufferPointer, _ start: Int) -> UInt32? {
        guard start + 13 <= text.count, text[start + 4] == UInt8(ascii: "-"), text[start + 7] == UInt8(ascii: "-"),
            text[start + 10] == UInt8(ascii: "T") || text[start + 10] == UInt8(ascii: " "),
            [5, 6, 8, 9, 11, 12].allSatisfy({ isDigit(text[start + $0]) })
        else { return nil }
        return hour(text, start, month: 5, day: 8, hour: 11)
    }

    private static func hour(
        _ text: UnsafeRawBufferPointer, _ start: Int, month: Int, day: Int, hour: Int
    ) -> UInt32 {
        let months = number(in: text, at: start, count: 4) * 12 + number(in: text, at: start + month, count: 2)
        let days = months * 31 + number(in: text, at: start + day, count: 2)
        return UInt32(days * 24 + number(in: text, at: start + hour, count: 2))
    }

    private static func number(in text: UnsafeRawBufferPointer, at start: Int, count: Int) -> Int {
        text[start..<start + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
