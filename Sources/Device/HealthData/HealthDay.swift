import FHIR

/// A day of the person's calendar. It is not an instant: it begins when the person's clock shows midnight.
public struct HealthDay: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    public let number: Int

    /// Creates a day from its number.
    public init(number: Int) { self.number = number }

    /// Creates the day that the person's clock showed at an instant.
    public init(_ instant: HealthInstant) {
        self.init(seconds: instant.seconds, offsetMinutes: instant.offsetMinutes)
    }

    package init(seconds: Int64, offsetMinutes: Int16) {
        number = Int((seconds + Int64(offsetMinutes) * 60).flooredDivision(by: 86_400).quotient)
    }

    /// Parses `2023-02-11`; nil if the text is not a valid date.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1...12).contains(month), day >= 1
        else { return nil }
        let number = CivilDate.days(year: year, month: month, day: day)
        let read = CivilDate.date(days: number)
        guard read == (year, month, day) else { return nil }
        self.number = number
    }

    /// The date.
    public var date: (year: Int, month: Int, day: Int) { CivilDate.date(days: number) }

    /// The date as `2023-02-11`.
    public var text: String {
        let date = date
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let year = String(date.year)
        let zeros = String(repeating: "0", count: max(0, 4 - year.utf8.count))
        return "\(zeros)\(year)-\(two(date.month))-\(two(date.day))"
    }

    /// Day of the week, from 0 for Monday to 6 for Sunday, in ISO 8601 order.
    public var weekday: Int { (number + 3).flooredDivision(by: 7).remainder }

    public static func < (left: HealthDay, right: HealthDay) -> Bool { left.number < right.number }

    /// Returns the day that is `days` days later.
    public func adding(_ days: Int) -> HealthDay { HealthDay(number: number + days) }
}
