import Core
import Foundation

/// One part of a schedule: an event that repeats at an interval (CareKit: `OCKScheduleElement`).
public struct CareScheduleElement: Sendable, Hashable {
    /// The duration of an event.
    public enum Duration: Sendable, Hashable {
        /// The whole day of the element's calendar, without its last second.
        case allDay
        /// This number of seconds.
        case seconds(Double)
    }

    /// A text about the time, such as "before breakfast".
    public let text: String?
    /// The duration of each event.
    public let duration: Duration
    /// The start of the first event. For events of whole days it is the start of the day, as in CareKit's initialiser.
    public let start: Date
    /// The end of the element, exclusive: no event starts at this time or later. Nil if the element has no end.
    public let end: Date?
    /// The interval from one event to the next one, in the element's calendar.
    public var interval: DateComponents { repetition.components }
    /// The values that are to be recorded, in CareKit's JSON.
    public let targetValues: [JSON]
    /// The calendar, with its time zone, in which the events are computed.
    public let calendar: Calendar

    let repetition: CareInterval

    /// Reads the JSON of CareKit's element.
    ///
    /// - Parameter path: the path of the element, for errors.
    /// - Throws: ``CarePlanError`` `schedule-invalid` with the path of the member: an unknown calendar or time zone, an
    ///   interval that does not move forward, an end that is not after the start, or a member that CareKit does not read.
    public init(_ json: JSON, at path: String) throws(CarePlanError) {
        func invalid(_ member: String) -> CarePlanError { CarePlanError(.scheduleInvalid, at: path + "." + member) }
        guard let start = Date(careSeconds: json["start"]) else { throw invalid("start") }
        var end: Date?
        if let value = json["end"], !value.isNull {
            guard let date = Date(careSeconds: value), date > start else { throw invalid("end") }
            end = date
        }
        guard let calendar = CareCalendar.calendar(json["calendar"]) else { throw invalid("calendar") }
        guard let duration = Duration(json["duration"]) else { throw invalid("duration") }
        guard let repetition = CareInterval(json["interval"]) else { throw invalid("interval") }
        if let text = json["text"], !text.isNull, text.string == nil { throw invalid("text") }
        guard let values = json["targetValues"]?.array else { throw invalid("targetValues") }
        do throws(CarePlanError) {
            try CareShape.scheduleElement.check(json, at: path)
        } catch {
            throw CarePlanError(.scheduleInvalid, at: error.location)
        }
        text = json["text"]?.string
        targetValues = values
        self.start = duration == .allDay ? calendar.startOfDay(for: start) : start
        (self.end, self.calendar) = (end, calendar)
        (self.duration, self.repetition) = (duration, repetition)
        guard let second = next(after: self.start), second > self.start else { throw invalid("interval") }
    }

    /// Returns the start of the event after the one with this start, by the arithmetic of the calendar; nil if the calendar
    /// has no such date.
    func next(after start: Date) -> Date? {
        guard let date = calendar.date(byAdding: repetition.components, to: start) else { return nil }
        return duration == .allDay ? calendar.startOfDay(for: date) : date
    }

    /// Returns the end of the event with this start.
    public func end(ofEventAt start: Date) -> Date {
        switch duration {
        case .allDay: calendar.date(byAdding: DateComponents(day: 1, second: -1), to: start) ?? start
        case .seconds(let seconds): start.addingTimeInterval(seconds)
        }
    }

    /// Whether the calendar's days are those of the Gregorian calendar.
    var isGregorian: Bool { calendar.identifier == .gregorian || calendar.identifier == .iso8601 }
}

extension CareScheduleElement.Duration {
    /// Reads `{"isAllDay","seconds"}` as CareKit does.
    fileprivate init?(_ json: JSON?) {
        guard let json, case .object = json else { return nil }
        if let isAllDay = json["isAllDay"], !isAllDay.isNull {
            guard let isAllDay = isAllDay.bool else { return nil }
            if isAllDay {
                self = .allDay
                return
            }
        }
        guard let seconds = json["seconds"]?.number?.careDouble, abs(seconds) <= CareEntityReading.maximumSeconds else {
            return nil
        }
        self = .seconds(seconds)
    }
}

extension Date {
    /// Reads seconds since 2001; nil for anything else, for dates farther from 2001 than about 10,000 years, and for a
    /// number that Foundation's decoder refuses.
    init?(careSeconds json: JSON?) {
        guard let seconds = json?.number?.careDouble, abs(seconds) <= CareEntityReading.maximumSeconds else {
            return nil
        }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}
