import Foundation

/// CareKit: OCKScheduleEvent.swift
public struct OCKScheduleEvent: Hashable, Sendable {
    public var start: Date
    public var end: Date
    public var element: OCKScheduleElement
    public var occurrence: Int
}

/// CareKit: OCKScheduleElement.swift
public struct OCKScheduleElement: Codable, Hashable, Sendable {
    public enum Duration: Codable, Hashable, Sendable {
        case allDay
        case seconds(Double)

        public static func hours(_ hours: Double) -> Duration { .seconds(3_600 * hours) }
        public static func minutes(_ minutes: Double) -> Duration { .seconds(60 * minutes) }

        private enum CodingKeys: CodingKey { case isAllDay, seconds }

        public init(from decoder: Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            if try members.decodeIfPresent(Bool.self, forKey: .isAllDay) == true {
                self = .allDay
            } else {
                self = .seconds(try members.decode(Double.self, forKey: .seconds))
            }
        }

        public func encode(to encoder: Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self == .allDay, forKey: .isAllDay)
            if case .seconds(let seconds) = self { try members.encode(seconds, forKey: .seconds) }
        }
    }

    public var text: String?
    public var duration: Duration
    public let start: Date
    public var end: Date?
    public var interval: DateComponents
    public var targetValues: [OCKOutcomeValue]
    public var calendar: Calendar

    public init(
        start: Date, end: Date?, interval: DateComponents, text: String? = nil, targetValues: [OCKOutcomeValue] = [],
        duration: Duration = .hours(1), calendar: Calendar = .autoupdatingCurrent
    ) {
        self.start = duration == .allDay ? calendar.startOfDay(for: start) : start
        (self.end, self.interval, self.text) = (end, interval, text)
        (self.duration, self.targetValues, self.calendar) = (duration, targetValues, calendar)
    }

    /// The events up to an index, each computed from the one before.
    func events(upTo occurrence: Int) -> [OCKScheduleEvent] {
        var events: [OCKScheduleEvent] = []
        var date = start
        while events.count <= occurrence {
            let begin = duration == .allDay ? calendar.startOfDay(for: date) : date
            var limit = end ?? .distantFuture
            if duration == .allDay, end != nil {
                limit = calendar.startOfDay(for: limit.addingTimeInterval(-1)).addingTimeInterval(86_400)
            }
            guard begin < limit else { break }
            let length = if case .seconds(let seconds) = duration { seconds } else { 86_399.0 }
            let event = OCKScheduleEvent(
                start: begin, end: begin.addingTimeInterval(length), element: self, occurrence: events.count)
            events.append(event)
            guard let next = calendar.date(byAdding: interval, to: begin), next > begin else { break }
            date = next
        }
        return events
    }
}

/// CareKit: OCKSchedule.swift
public struct OCKSchedule: Codable, Hashable, Sendable {
    public let elements: [OCKScheduleElement]

    public init(composing elements: [OCKScheduleElement]) {
        self.elements = elements.sorted { $0.start < $1.start }
    }

    public func startDate() -> Date { elements.map(\.start).min() ?? .distantPast }

    /// CareKit traps for a negative index; the store of the stand-in does not ask for one.
    public func event(forOccurrenceIndex occurrence: Int) -> OCKScheduleEvent? {
        let events = elements.flatMap { $0.events(upTo: occurrence) }.sorted { $0.start < $1.start }
        guard events.indices.contains(occurrence) else { return nil }
        var event = events[occurrence]
        event.occurrence = occurrence
        return event
    }

    public static func dailyAtTime(
        hour: Int, minutes: Int, start: Date, end: Date?, text: String?,
        duration: OCKScheduleElement.Duration = .hours(1), targetValues: [OCKOutcomeValue] = []
    ) -> OCKSchedule {
        let time = Calendar.current.date(bySettingHour: hour, minute: minutes, second: 0, of: start) ?? start
        let element = OCKScheduleElement(
            start: time, end: end, interval: DateComponents(day: 1), text: text, targetValues: targetValues,
            duration: duration)
        return OCKSchedule(composing: [element])
    }
}
