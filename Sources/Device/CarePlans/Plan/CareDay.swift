import Core
import Foundation

/// A day, without a time zone.
public struct CareDay: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    public let number: Int

    /// Creates the day that is a number of days after 1970-01-01.
    public init(number: Int) { self.number = number }

    /// Reads `YYYY-MM-DD`; nil for anything else.
    public init?(_ text: String) {
        guard let date = DateTime(text), date.precision == .day else { return nil }
        number = CivilDate.days(year: date.year, month: date.month, day: date.day)
    }

    /// Creates the day that a clock in a time zone shows at an instant.
    public init(_ instant: Date, in zone: TimeZone) {
        let local = instant.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: instant))
        number = Int((min(max(local, -1e12), 1e12) / 86_400).rounded(.down))
    }

    /// The day, as `YYYY-MM-DD`.
    public var text: String { String(DateTime(Date(timeIntervalSince1970: Double(number) * 86_400)).text.prefix(10)) }

    /// Returns a time that contains all of the days, both ends included, in every time zone: a day begins up to 14 hours
    /// before it does in UTC, and ends up to 12 hours after.
    package static func time(from first: CareDay, to last: CareDay) -> (start: Date, end: Date) {
        (
            Date(timeIntervalSince1970: Double(first.number - 1) * 86_400),
            Date(timeIntervalSince1970: Double(last.number + 2) * 86_400)
        )
    }

    public static func < (one: CareDay, other: CareDay) -> Bool { one.number < other.number }
}
