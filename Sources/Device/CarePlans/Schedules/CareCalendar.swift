import Core
import Foundation

/// Calendars in CareKit's JSON: `{"identifier","timeZone":{"identifier"},…}`.
///
/// Identifier and time zone decide the arithmetic of a schedule. `current` is ignored: on another device, the current
/// calendar is another one.
enum CareCalendar {
    /// The names of calendars in the JSON of Foundation's `Calendar`.
    static let identifiers: [String: Calendar.Identifier] = [
        "gregorian": .gregorian, "buddhist": .buddhist, "chinese": .chinese, "coptic": .coptic,
        "ethiopic": .ethiopicAmeteMihret, "ethiopic-amete-alem": .ethiopicAmeteAlem, "hebrew": .hebrew,
        "iso8601": .iso8601, "indian": .indian, "islamic": .islamic, "islamic-civil": .islamicCivil,
        "japanese": .japanese, "persian": .persian, "roc": .republicOfChina, "islamic-tbla": .islamicTabular,
        "islamic-umalqura": .islamicUmmAlQura,
    ]
    /// Maximum number of bytes of the name of a time zone.
    static let maximumZoneBytes = 64

    /// Reads a calendar; nil if its identifier or its time zone is unknown.
    static func calendar(_ json: JSON?) -> Calendar? {
        guard let name = json?["identifier"]?.string, let identifier = identifiers[name],
            let zone = timeZone(json?["timeZone"])
        else { return nil }
        var calendar = Calendar(identifier: identifier)
        calendar.timeZone = zone
        return calendar
    }

    /// The name of a calendar in the JSON.
    static func name(of calendar: Calendar) -> String {
        identifiers.first { $0.value == calendar.identifier }?.key ?? "gregorian"
    }

    /// Reads a time zone, `{"identifier"}`; nil if it is unknown, or if `autoupdating` is not a Boolean.
    static func timeZone(_ json: JSON?) -> TimeZone? {
        guard let name = json?["identifier"]?.string, name.utf8.count <= maximumZoneBytes else { return nil }
        if let follows = json?["autoupdating"], !follows.isNull, follows.bool == nil { return nil }
        return TimeZone(identifier: name)
    }

    /// The JSON of a Gregorian calendar in a time zone, as Foundation writes it.
    static func gregorian(in zone: String) -> JSON {
        [
            "identifier": "gregorian", "current": 0, "firstWeekday": 1, "minimumDaysInFirstWeek": 1,
            "locale": ["identifier": "", "current": 0], "timeZone": ["identifier": .string(zone)],
        ]
    }

    /// The JSON of a calendar with the members that it lacks, as Foundation writes them: those of the Gregorian calendar in
    /// a time zone, and for ISO 8601 a week from Monday with at least 4 days in the first one. Anything but an object or
    /// null is not changed.
    static func completed(_ json: JSON?, in zone: String) -> JSON {
        let whole = gregorian(in: zone)
        guard let json, !json.isNull else { return whole }
        guard json.object != nil else { return json }
        let isISO = json["identifier"]?.string == "iso8601"
        var calendar = json
        for member in whole.object?.members ?? [] where isMissing(calendar[member.key]) {
            switch member.key {
            case "firstWeekday" where isISO: calendar[member.key] = 2
            case "minimumDaysInFirstWeek" where isISO: calendar[member.key] = 4
            default: calendar[member.key] = member.value
            }
        }
        if calendar["locale"]?.object != nil {
            for member in whole["locale"]?.object?.members ?? [] where isMissing(calendar["locale"]?[member.key]) {
                calendar["locale"]?[member.key] = member.value
            }
        }
        return calendar
    }

    /// Returns a task with complete calendars in its schedule. A calendar without a known identifier and a known time zone
    /// is not changed.
    static func completed(inScheduleOf task: JSON) -> JSON {
        let elements = task.at("schedule", "elements")?.array ?? []
        let partial = elements.indices.filter { isPartial(elements[$0]["calendar"]) }
        guard !partial.isEmpty else { return task }
        var task = task
        task["schedule"]?["elements"]?.withElements { elements in
            for index in partial {
                guard let zone = elements[index].at("calendar", "timeZone", "identifier")?.string else { continue }
                elements[index]["calendar"] = completed(elements[index]["calendar"], in: zone)
            }
        }
        return task
    }

    /// Whether the arithmetic of a calendar is known, but members that CareKit requires are missing.
    private static func isPartial(_ json: JSON?) -> Bool {
        guard let json else { return false }
        return [json["firstWeekday"], json["minimumDaysInFirstWeek"]].contains { isMissing($0) }
            && calendar(json) != nil
    }

    private static func isMissing(_ json: JSON?) -> Bool { json.map(\.isNull) ?? true }
}
