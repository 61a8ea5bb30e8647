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
        var place = 0
        while place < text.count {
            guard isDigit(text[place]) else {
                place += 1
                continue
            }
            let start = place
            while place < text.count, isDigit(text[place]) { place += 1 }
            guard let hour = hour(text, start, place - start) else { continue }
            found = hour
            guard isLast else { break }
        }
        return found
    }

    /// Returns the hour that a sequence of digits contains or begins.
    private static func hour(_ text: UnsafeRawBufferPointer, _ start: Int, _ length: Int) -> UInt32? {
        switch length {
        case 4: separated(text, start)
        // The years 2001 to 2286.
        case 10, 13: text[start] == UInt8(ascii: "0") ? nil : UInt32(number(text, start, 10) / 3_600)
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
        let months = number(text, start, 4) * 12 + number(text, start + month, 2)
        return UInt32((months * 31 + number(text, start + day, 2)) * 24 + number(text, start + hour, 2))
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int {
        text[start..<start + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
