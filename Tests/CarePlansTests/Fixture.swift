import Core
import Foundation
import Testing

@testable import CarePlans

/// Values of CareKit's JSON for tests.
enum Fixture {
    /// Seconds since 2001 of an ISO time.
    static func seconds(_ text: String) -> Double {
        DateTime(text)?.start().timeIntervalSinceReferenceDate ?? .nan
    }

    static func date(_ text: String) -> Date { Date(timeIntervalSinceReferenceDate: seconds(text)) }

    /// The number of seconds, as JSON.
    static func number(_ value: Double) -> JSON { .number(JSONNumber(text: "\(value)") ?? JSONNumber(0)) }

    static func calendar(_ zone: String = "UTC", _ identifier: String = "gregorian") -> JSON {
        [
            "identifier": .string(identifier), "current": 0, "firstWeekday": 1, "minimumDaysInFirstWeek": 1,
            "locale": ["identifier": "", "current": 0], "timeZone": ["identifier": .string(zone)],
        ]
    }

    /// A schedule element.
    ///
    /// - Parameter duration: seconds; nil for whole days.
    static func element(
        start: Double, end: Double? = nil, every interval: JSON = ["day": 1], duration: Double? = 3_600,
        calendar: JSON = calendar()
    ) -> JSON {
        var element: JSON = [
            "start": number(start), "interval": interval, "calendar": calendar, "targetValues": [],
            "duration": duration.map { ["isAllDay": false, "seconds": number($0)] } ?? ["isAllDay": true],
        ]
        if let end { element["end"] = number(end) }
        return element
    }

    static func schedule(_ elements: JSON...) throws -> CareSchedule {
        try CareSchedule(["elements": .array(elements)])
    }
}
