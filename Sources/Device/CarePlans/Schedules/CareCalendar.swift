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

    /// Reads a time zone, `{"identifier"}`; nil if it is unknown.
    static func timeZone(_ json: JSON?) -> TimeZone? {
        guard let name = json?["identifier"]?.string, name.utf8.count <= maximumZoneBytes else { return nil }
        return TimeZone(identifier: name)
    }

    /// The JSON of a Gregorian calendar in a time zone, as Foundation writes it.
    static func gregorian(in zone: String) -> JSON {
        [
            "identifier": "gregorian", "current": 0, "firstWeekday": 1, "minimumDaysInFirstWeek": 1,
            "locale": ["identifier": "", "current": 0], "timeZone": ["identifier": .string(zone)],
        ]
    }
}
