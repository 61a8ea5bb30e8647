import Foundation

/// A FHIR `date`, `dateTime` or `instant`, with the precision and the offset as written.
///
/// <https://hl7.org/fhir/R4/datatypes.html#dateTime>
public struct DateTime: Sendable, Hashable, CustomStringConvertible {
    /// Precision of the value.
    public enum Precision: Int, Sendable, Comparable {
        /// The year alone: `2026`.
        case year
        /// Year and month: `2026-11`.
        case month
        /// A date: `2026-11-22`.
        case day
        /// A date and a time without a fraction of a second.
        case second
        /// A date and a time with a fraction of a second.
        case fraction

        public static func < (left: Precision, right: Precision) -> Bool { left.rawValue < right.rawValue }
    }

    /// The text as written.
    public let text: String
    /// The precision of the value as written.
    public let precision: Precision
    /// The year, 1 to 9999.
    public let year: Int
    /// The month; 1 if it is not known.
    public let month: Int
    /// The day; 1 if it is not known.
    public let day: Int
    /// The hour as written, 0 to 23; 0 if there is no time.
    public let hour: Int
    /// The minute as written, 0 to 59; 0 if there is no time.
    public let minute: Int
    /// The second as written, 0 to 60; 0 if there is no time. 60 is a leap second.
    public let second: Int
    /// The fraction of the second in nanoseconds, truncated after the ninth digit.
    public let nanosecond: Int

    /// Minutes east of UTC as written (`Z` is 0); nil if there is no time.
    public let offsetMinutes: Int?

    /// Whether the time was written with `Z`.
    public var isUTC: Bool { text.hasSuffix("Z") }

    /// Reads a date or a date and time in FHIR R4's format; nil for anything else. A time needs seconds and an offset.
    public init?(_ text: String) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), year >= 1 else { return nil }
        var month = 1
        var day = 1
        var clock = (hour: 0, minute: 0, second: 0, nanosecond: 0)
        var precision = Precision.year
        var offset: Int?
        if scanner.take("-") {
            guard let value = scanner.number(digits: 2), (1...12).contains(value) else { return nil }
            (month, precision) = (value, .month)
            if scanner.take("-") {
                guard let value = scanner.number(digits: 2),
                    (1...CivilDate.daysInMonth(year: year, month: month)).contains(value)
                else { return nil }
                (day, precision) = (value, .day)
                if scanner.take("T") {
                    guard let time = scanner.time(), let minutes = scanner.offset() else { return nil }
                    clock = (time.hour, time.minute, time.second, time.nanosecond)
                    precision = time.hasFraction ? .fraction : .second
                    offset = minutes
                }
            }
        }
        guard scanner.isAtEnd else { return nil }
        self.text = text
        self.precision = precision
        self.year = year
        self.month = month
        self.day = day
        (hour, minute, second, nanosecond) = clock
        offsetMinutes = offset
    }

    /// Creates the date and time of an instant, written with an offset and, if requested, milliseconds. An instant
    /// outside of FHIR's calendar (years 1 to 9999) becomes the calendar's first or last.
    public init(_ instant: Date, offsetMinutes: Int = 0, milliseconds: Bool = true) {
        // Rounding to the written precision first keeps 59.9996 s from becoming second 60.
        let scale = milliseconds ? 1000.0 : 1.0
        let exact = DateTime.clamped(instant.timeIntervalSince1970, offsetMinutes) * scale
        let units = Int(exact.rounded(milliseconds ? .toNearestOrEven : .down))
        let perSecond = milliseconds ? 1000 : 1
        let (seconds, fraction) = units.flooredDivision(by: perSecond)
        let (days, rest) = (seconds + offsetMinutes * 60).flooredDivision(by: 86400)
        let date = CivilDate.date(days: days)
        year = date.year
        month = date.month
        day = date.day
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
        nanosecond = milliseconds ? fraction * 1_000_000 : 0
        precision = milliseconds ? .fraction : .second
        self.offsetMinutes = offsetMinutes
        var output =
            Padded.date(year: year, month: month, day: day) + "T"
            + Padded.time(hour: hour, minute: minute, second: second)
        if milliseconds { output += "." + Padded.number(fraction, 3) }
        text = output + (offsetMinutes == 0 ? "Z" : Padded.offset(offsetMinutes))
    }

    /// Returns the first instant that the value covers. A date without a time begins at midnight with the given offset.
    /// A leap second belongs to the minute and the day that it ends and counts as their last second, because `Date` has
    /// no leap seconds.
    public func start(assumingOffsetMinutes assumed: Int = 0) -> Date {
        let seconds =
            CivilDate.days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + min(second, 59)
            - (offsetMinutes ?? assumed) * 60
        return Date(timeIntervalSince1970: Double(seconds) + Double(nanosecond) / 1e9)
    }

    /// Returns the first instant after the range that the value covers: the next year, month, day, second or fraction.
    public func end(assumingOffsetMinutes assumed: Int = 0) -> Date {
        let begin = start(assumingOffsetMinutes: assumed)
        switch precision {
        case .year: return begin.addingTimeInterval(Double(days(to: (year + 1, 1))) * 86400)
        case .month:
            return begin.addingTimeInterval(Double(days(to: month == 12 ? (year + 1, 1) : (year, month + 1))) * 86400)
        case .day: return begin.addingTimeInterval(86400)
        case .second: return begin.addingTimeInterval(1)
        case .fraction: return begin.addingTimeInterval(fractionUnit)
        }
    }

    /// The unit of the fraction's last digit in seconds, but not less than the resolution of `Date`.
    private var fractionUnit: TimeInterval {
        let digits = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
        let units: [TimeInterval] = [1, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001]
        return units[min(digits, units.count - 1)]
    }

    /// Seconds since 1970 whose local time is in the years 1 to 9999. NaN becomes 1970.
    private static func clamped(_ seconds: TimeInterval, _ offsetMinutes: Int) -> TimeInterval {
        guard !seconds.isNaN else { return 0 }
        let offset = Double(offsetMinutes * 60)
        let first = Double(CivilDate.days(year: 1, month: 1, day: 1) * 86400) - offset
        let last = Double(CivilDate.days(year: 10000, month: 1, day: 1) * 86400) - offset - 1
        return min(max(seconds, first), last)
    }

    /// The date part, with the precision of the value.
    public var dateText: String {
        switch precision {
        case .year: Padded.number(year, 4)
        case .month: Padded.number(year, 4) + "-" + Padded.number(month, 2)
        default: Padded.date(year: year, month: month, day: day)
        }
    }

    public var description: String { text }

    private func days(to next: (year: Int, month: Int)) -> Int {
        CivilDate.days(year: next.year, month: next.month, day: 1)
            - CivilDate.days(year: year, month: month, day: day)
    }
}

/// A FHIR `time`: hours, minutes and seconds of a day without a date or an offset.
///
/// <https://hl7.org/fhir/R4/datatypes.html#time>
public struct TimeOfDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text as written.
    public let text: String
    /// Nanoseconds since midnight.
    public let nanoseconds: Int

    /// Reads `hh:mm:ss` with an optional fraction; nil for anything else.
    public init?(_ text: String) {
        var scanner = DigitScanner(text)
        guard let time = scanner.time(), scanner.isAtEnd else { return nil }
        self.text = text
        nanoseconds = (time.hour * 3600 + time.minute * 60 + time.second) * 1_000_000_000 + time.nanosecond
    }

    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool { left.nanoseconds < right.nanoseconds }

    public var description: String { text }
}
