import Core
import Foundation

/// Instants as they are kept in the database: ISO 8601, UTC, milliseconds (`2026-11-21T03:51:00.000Z`).
///
/// The text has always the same length, so the order of the texts is the order of the instants, on every engine.
public enum SQLTimestamp {
    /// The instant that a reader of ``text(_:)`` gets: what is kept beside the database is to equal what is kept in it.
    public static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds(date)) / 1000)
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        let earliest = -62_167_219_200_000.0
        let latest = 253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        return Int64(min(max(rounded.isNaN ? 0 : rounded, earliest), latest))
    }

    /// The text of an instant, rounded to the nearest millisecond. Instants outside the years 0000 to 9999 are clamped.
    public static func text(_ date: Date) -> String {
        let milliseconds = milliseconds(date)
        let (days, inDay) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = CivilDate.date(days: Int(days))
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(Int64(year), digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(Int64(month), digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(Int64(day), digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        append(inDay / 3_600_000, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(inDay / 60_000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(inDay / 1000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: "."))
        append(inDay % 1000, digits: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The instant of a text that ``text(_:)`` wrote; nil for any other text.
    public static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]),
            let millisecond = number(bytes[20..<23]), (1...12).contains(month), (1...31).contains(day),
            hour < 24,
            minute < 60, second < 60
        else { return nil }
        let seconds =
            Int64(CivilDate.days(year: Int(year), month: Int(month), day: Int(day))) * 86_400 + hour * 3600 + minute
            * 60 + second
        return Date(timeIntervalSince1970: Double(seconds * 1000 + millisecond) / 1000)
    }

    private static func append(_ number: Int64, digits: Int, to text: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
