import Core
import Foundation

/// Text form of instants in the database: ISO 8601, UTC, milliseconds (`2026-11-21T03:51:00.000Z`).
///
/// All texts have the same length, so the order of the texts is the order of the instants, on every engine.
public enum SQLTimestamp {
    /// Returns the instant that results from writing and reading ``text(_:)``, for values in memory that must equal the
    /// stored ones.
    public static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds(date)) / 1000)
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        let earliest = -62_167_219_200_000.0
        let latest = 253_402_300_799_999.0
        let rounded = (date.timeIntervalSince1970 * 1000).rounded()
        return Int64(min(max(rounded.isNaN ? 0 : rounded, earliest), latest))
    }

    /// Returns the text of an instant, rounded to the nearest millisecond. Instants outside the years 0000 to 9999 are
    /// clamped.
    public static func text(_ date: Date) -> String {
        let (seconds, milliseconds) = milliseconds(date).flooredDivision(by: 1000)
        return String(unsafeUninitializedCapacity: 24) { bytes in
            write(seconds: seconds, between: UInt8(ascii: "T"), to: bytes)
            bytes[19] = UInt8(ascii: ".")
            write(milliseconds, digits: 3, to: bytes, at: 20)
            bytes[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    /// Returns an instant in UTC without fractions of a second: `YYYY-MM-DD HH:MM:SS`, with a given character between
    /// day and time.
    ///
    /// - Parameter seconds: seconds since 1970; outside the years 0000 to 9999 the year has as many digits as it needs.
    public static func text(seconds: Int64, between: Unicode.Scalar) -> String {
        let (days, inDay) = seconds.flooredDivision(by: 86_400)
        guard (-719_528..<2_932_897).contains(days), between.isASCII else {
            let clock = [inDay / 3600, inDay / 60 % 60, inDay % 60].map { padded($0) }.joined(separator: ":")
            return "\(day(days: days))\(between)\(clock)"
        }
        return String(unsafeUninitializedCapacity: 19) { bytes in
            write(seconds: seconds, between: UInt8(ascii: between), to: bytes)
            return 19
        }
    }

    /// Returns a day, `YYYY-MM-DD`.
    ///
    /// - Parameter days: days since 1970.
    public static func day(days: Int64) -> String {
        let (year, month, day) = CivilDate.date(days: Int(days))
        let digits = "\(year.magnitude)"
        let years = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        return "\(year < 0 ? "-" : "")\(years)-\(padded(Int64(month)))-\(padded(Int64(day)))"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Writes 19 bytes.
    private static func write(seconds: Int64, between: UInt8, to bytes: UnsafeMutableBufferPointer<UInt8>) {
        let (days, inDay) = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = CivilDate.date(days: Int(days))
        write(Int64(year), digits: 4, to: bytes, at: 0)
        bytes[4] = UInt8(ascii: "-")
        write(Int64(month), digits: 2, to: bytes, at: 5)
        bytes[7] = UInt8(ascii: "-")
        write(Int64(day), digits: 2, to: bytes, at: 8)
        bytes[10] = between
        write(inDay / 3600, digits: 2, to: bytes, at: 11)
        bytes[13] = UInt8(ascii: ":")
        write(inDay / 60 % 60, digits: 2, to: bytes, at: 14)
        bytes[16] = UInt8(ascii: ":")
        write(inDay % 60, digits: 2, to: bytes, at: 17)
    }

    private static func write(
        _ number: Int64, digits: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at offset: Int
    ) {
        var rest = number
        for index in stride(from: offset + digits - 1, through: offset, by: -1) {
            bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Returns the instant of a text that ``text(_:)`` wrote; nil for any other text.
    public static func date(_ text: String) -> Date? {
        guard text.utf8.count == 24, let seconds = seconds(text.utf8.prefix(19), between: "T") else { return nil }
        let end = Array(text.utf8.suffix(5))
        guard end[0] == UInt8(ascii: "."), end[4] == UInt8(ascii: "Z"), let part = number(end[1..<4]) else {
            return nil
        }
        return Date(timeIntervalSince1970: Double(seconds * 1000 + part) / 1000)
    }

    /// Returns the seconds since 1970 of a text that ``text(seconds:between:)`` wrote for a year from 0000 to 9999; nil
    /// for any other text.
    public static func seconds(_ text: String, between: Unicode.Scalar) -> Int64? {
        seconds(text.utf8[...], between: between)
    }

    private static func seconds(_ text: Substring.UTF8View, between: Unicode.Scalar) -> Int64? {
        guard text.count == 19, between.isASCII else { return nil }
        return text.withContiguousStorageIfAvailable { seconds($0[...], between: UInt8(ascii: between)) }
            ?? seconds(ArraySlice(Array(text)), between: UInt8(ascii: between))
    }

    /// - Parameter bytes: 19 bytes.
    private static func seconds<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, between: UInt8) -> Int64?
    where Bytes.Index == Int, Bytes.SubSequence == Bytes {
        let begin = bytes.startIndex
        func part(_ from: Int, _ to: Int) -> Int64? { number(bytes[begin + from..<begin + to]) }
        guard bytes[begin + 4] == UInt8(ascii: "-"), bytes[begin + 7] == UInt8(ascii: "-"),
            bytes[begin + 10] == between,
            bytes[begin + 13] == UInt8(ascii: ":"), bytes[begin + 16] == UInt8(ascii: ":"),
            let year = part(0, 4), let month = part(5, 7), let day = part(8, 10), let hour = part(11, 13),
            let minute = part(14, 16), let second = part(17, 19), (1...12).contains(month), (1...31).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Int64(CivilDate.days(year: Int(year), month: Int(month), day: Int(day)))
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ bytes: some Collection<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
