#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKitForms
    import ResearchResults

    /// Calendars, time zones and date components as JSON and back.
    ///
    /// ResearchKit's serializer has the identifier of a calendar, the seconds of a time zone, and the hours and minutes of
    /// components. The members `timeZoneName` and `dateComponents` of this module have the rest.
    enum ResultCalendars {
        private static let identifiers: [(value: Calendar.Identifier, text: String)] = [
            (.gregorian, "gregorian"), (.buddhist, "buddhist"), (.chinese, "chinese"), (.coptic, "coptic"),
            (.ethiopicAmeteMihret, "ethiopic"), (.ethiopicAmeteAlem, "ethiopic-amete-alem"), (.hebrew, "hebrew"),
            (.iso8601, "iso8601"), (.indian, "indian"), (.islamic, "islamic"), (.islamicCivil, "islamic-civil"),
            (.islamicTabular, "islamic-tbla"), (.islamicUmmAlQura, "islamic-umalqura"), (.japanese, "japanese"),
            (.persian, "persian"), (.republicOfChina, "roc"),
        ]

        /// Returns the identifier of a calendar as `NSCalendar` has it; nil if it is unknown.
        static func text(_ calendar: Calendar) -> String? {
            identifiers.first { $0.value == calendar.identifier }?.text
        }

        static func calendar(_ text: String) -> Calendar? {
            identifiers.first { $0.text == text }.map { Calendar(identifier: $0.value) }
        }

        /// Returns the name of a zone such as `Pacific/Honolulu`; nil for one that is only an offset.
        static func name(_ zone: TimeZone, at instant: Date) -> String? {
            TimeZone(secondsFromGMT: zone.secondsFromGMT(for: instant))?.identifier == zone.identifier
                ? nil : zone.identifier
        }

        /// Returns the zone of a name if it has the offset at that time, else the zone of the offset.
        static func zone(seconds: Int?, name: String?, at instant: Date) -> TimeZone? {
            let named = name.flatMap { TimeZone(identifier: $0) }
            guard let seconds else { return named }
            if let named, named.secondsFromGMT(for: instant) == seconds { return named }
            return TimeZone(secondsFromGMT: seconds)
        }

        private static let fields: [(name: String, path: WritableKeyPath<DateComponents, Int?> & Sendable)] = [
            ("era", \.era), ("year", \.year), ("month", \.month), ("day", \.day), ("hour", \.hour),
            ("minute", \.minute), ("second", \.second), ("nanosecond", \.nanosecond), ("weekday", \.weekday),
            ("weekdayOrdinal", \.weekdayOrdinal), ("quarter", \.quarter), ("weekOfMonth", \.weekOfMonth),
            ("weekOfYear", \.weekOfYear), ("yearForWeekOfYear", \.yearForWeekOfYear),
        ]

        /// Returns the hours and minutes, as `08:30`; nil if they are no time of a day.
        static func timeOfDay(_ components: DateComponents) -> String? {
            func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let hour = components.hour ?? 0
            let minute = components.minute ?? 0
            guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
            return "\(digits(hour)):\(digits(minute))"
        }

        /// Returns the components of a time such as `08:30` or `08:30:15`; nil if it is none.
        static func components(timeOfDay text: String) -> DateComponents? {
            guard let time = ResultTime.timeOfDay(text), let value = TimeOfDay(time) else { return nil }
            let seconds = value.nanoseconds / 1_000_000_000
            return DateComponents(
                hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60 == 0 ? nil : seconds % 60)
        }

        /// Returns all components; nil if hours and minutes are all that is set.
        static func json(_ components: DateComponents) -> JSON? {
            var object = JSONObject()
            object["calendar"] = components.calendar.flatMap(text).map(JSON.string)
            object["timeZone"] = components.timeZone.map { .string($0.identifier) }
            for (name, path) in fields { object[name] = components[keyPath: path].map { .number(JSONNumber($0)) } }
            let isTime = components.hour != nil && components.minute != nil
            let isLeap = components.isLeapMonth ?? false
            guard isLeap || !object.isEmpty, isLeap || !isTime || object.count > 2 else { return nil }
            object["isLeapMonth"] = components.isLeapMonth.map(JSON.bool)
            return .object(object)
        }

        /// Reads all components.
        static func components(_ members: ResultMembers) throws(SurveyResultError) -> DateComponents {
            var components = DateComponents()
            if let text = try members.text("calendar") {
                guard let calendar = calendar(text) else { throw members.malformed("calendar") }
                components.calendar = calendar
            }
            if let name = try members.text("timeZone") {
                guard let zone = TimeZone(identifier: name) else { throw members.malformed("timeZone") }
                components.timeZone = zone
            }
            for (name, path) in fields { components[keyPath: path] = try members.integer(name) }
            components.isLeapMonth = try members.flag("isLeapMonth")
            return components
        }
    }
#endif
