import Core
import Foundation
import TestSupport

@testable import CarePlans

/// Random schedules: calendars, time zones with clock changes, starts with fractions, intervals of every kind.
struct RandomSchedule {
    static let zones = [
        "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Kathmandu", "Pacific/Apia",
        "Australia/Lord_Howe", "America/St_Johns", "Asia/Tehran", "Europe/Moscow", "Asia/Gaza", "America/Havana", "GMT",
    ]
    static let calendars = [
        "gregorian", "gregorian", "gregorian", "gregorian", "iso8601", "buddhist", "hebrew", "chinese",
    ]

    /// Time zones whose rules did not change in the last years, so that all time zone databases agree about them.
    ///
    /// Pacific/Apia is not among them: on 30 December 2011, a day that Samoa skipped, Foundation counts days and zoneinfo
    /// counts dates.
    static let stableZones = [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Honolulu", "Australia/Lord_Howe",
        "America/St_Johns",
        "Europe/Moscow", "America/Havana", "Pacific/Auckland", "Europe/Lisbon", "America/Sao_Paulo", "Asia/Kolkata",
        "GMT",
    ]

    /// Whether the calendars are Gregorian, the starts whole seconds and the time zones stable, for a model without Foundation.
    var isPlain = false

    func callAsFunction(_ generator: inout Seeded) -> JSON {
        let count = Int.random(in: 1...10, using: &generator) > 7 ? Int.random(in: 2...4, using: &generator) : 1
        return ["elements": .array((0..<count).map { _ in element(&generator) })]
    }

    func element(_ generator: inout Seeded) -> JSON {
        // 1998 to 2030, often near a clock change.
        var start = Double.random(in: -1e8...9.2e8, using: &generator).rounded()
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let zone = TimeZone(
                identifier: (isPlain ? Self.stableZones : Self.zones).randomElement(using: &generator) ?? "UTC")
            let change = zone?.nextDaylightSavingTimeTransition(after: Date(timeIntervalSinceReferenceDate: start))
            start =
                (change?.timeIntervalSinceReferenceDate ?? start)
                + Double(Int.random(in: -20...20, using: &generator) * 900)
                - Double(Int.random(in: 0...3, using: &generator) * 86_400)
        }
        if !isPlain, Int.random(in: 0..<3, using: &generator) == 0 {
            start += Double.random(in: 0..<1, using: &generator)
        }
        let isAllDay = Int.random(in: 0..<4, using: &generator) == 0
        let end =
            Int.random(in: 0..<4, using: &generator) == 0
            ? start + Double.random(in: 1e5...1e8, using: &generator).rounded() : nil
        let intervals: [JSON] = [
            ["day": 1], ["day": 1], ["weekOfYear": 1], ["day": 2], ["weekOfYear": 2], ["month": 1], ["year": 1],
            ["month": 3],
            ["hour": 36], ["day": 1, "hour": 3], ["hour": 8], ["minute": 100], ["second": 4_000],
            ["day": 3, "weekOfYear": 1],
            ["month": 1, "day": 3],
        ]
        // Several events of one whole day are not possible.
        let interval = intervals.prefix(isAllDay ? 10 : intervals.count).randomElement(using: &generator) ?? ["day": 1]
        let zones = isPlain ? Self.stableZones : Self.zones
        let calendar = isPlain ? "gregorian" : Self.calendars.randomElement(using: &generator) ?? "gregorian"
        return Fixture.element(
            start: start, end: end, every: interval,
            duration: isAllDay ? nil : Double([0, 600, 3_600, 90_000].randomElement(using: &generator) ?? 0),
            calendar: Fixture.calendar(zones.randomElement(using: &generator) ?? "UTC", calendar))
    }
}
