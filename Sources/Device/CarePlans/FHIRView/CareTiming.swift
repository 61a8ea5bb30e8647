import FHIR
import Foundation

/// Schedule elements as `Timing` of R4.
enum CareTiming {
    private static let units: [(name: String, unit: String)] = [
        ("year", "a"), ("month", "mo"), ("weekOfYear", "wk"), ("day", "d"), ("hour", "h"), ("minute", "min"),
        ("second", "s"),
    ]
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let gregorian = Calendar(identifier: .gregorian)

    /// Returns the Timing of an element. An interval with several components, a calendar other than the Gregorian one and the
    /// time zone are extensions.
    static func timing(_ element: CareScheduleElement) -> JSON {
        let zone = element.calendar.timeZone
        var bounds: JSON = ["start": FHIRText.dateTime(element.start, in: zone)]
        if let end = element.end { bounds["end"] = FHIRText.dateTime(end, in: zone) }
        var repetition: JSON = ["boundsPeriod": bounds]
        switch element.duration {
        case .allDay:
            repetition["duration"] = 1
            repetition["durationUnit"] = "d"
        case .seconds(let seconds) where seconds >= 0:
            repetition["duration"] = CareDraft.number(seconds)
            repetition["durationUnit"] = "s"
        case .seconds: break
        }
        let components = element.interval
        let counts = [
            components.year, components.month, components.weekOfYear, components.day, components.hour,
            components.minute, components.second,
        ]
        let parts = zip(units, counts).compactMap { unit, count in count.map { (unit.name, unit.unit, $0) } }
        var extensions: [JSON?] = [CareExtension.text("timezone", .string(zone.identifier))]
        if !element.isGregorian {
            extensions.append(CareExtension.text("calendar", .string(CareCalendar.name(of: element.calendar))))
        }
        if case .seconds(let seconds) = element.duration, seconds < 0 {
            extensions.append(CareExtension.value("duration", type: "Decimal", CareDraft.number(seconds)))
        }
        if parts.count == 1, let (_, unit, count) = parts.first, element.isGregorian || !element.repetition.hasMonths {
            repetition["frequency"] = 1
            repetition["period"] = .number(JSONNumber(count))
            repetition["periodUnit"] = .string(unit)
            setWallTime(&repetition, element, unit: unit)
        } else {
            extensions.append(
                CareExtension.group("interval", parts.map { CareExtension.integer($0.0, $0.2) }))
        }
        var timing: JSON = [:]
        timing.set("extension", elements: extensions)
        timing["repeat"] = repetition
        timing.set("code", FHIRText.string(element.text.map { .string($0) }).map { ["text": .string($0)] })
        return timing
    }

    /// Adds the wall time of events at intervals of days or longer, and the weekday of events at intervals of weeks.
    private static func setWallTime(_ repetition: inout JSON, _ element: CareScheduleElement, unit: String) {
        guard ["a", "mo", "wk", "d"].contains(unit) else { return }
        var calendar = gregorian
        calendar.timeZone = element.calendar.timeZone
        let parts = calendar.dateComponents([.weekday, .hour, .minute, .second], from: element.start)
        if unit == "wk", let weekday = parts.weekday, weekdays.indices.contains(weekday - 1) {
            repetition["dayOfWeek"] = [.string(weekdays[weekday - 1])]
        }
        if element.duration != .allDay, let hour = parts.hour, let minute = parts.minute, let second = parts.second {
            func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            repetition["timeOfDay"] = [.string("\(padded(hour)):\(padded(minute)):\(padded(second))")]
        }
    }
}
