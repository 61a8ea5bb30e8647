import Core
import Foundation

/// The schedule of a task: the events of its elements, numbered in the order of their starts (CareKit: `OCKSchedule`).
///
/// Indices are those of `OCKSchedule.event(forOccurrenceIndex:)`. Events that start at the same time have the order of
/// their elements.
public struct CareSchedule: Sendable, Hashable {
    /// Maximum number of elements.
    public static let maximumElements = 1_000

    /// The elements, in the order of their starts.
    public let elements: [CareScheduleElement]

    /// Reads the JSON of CareKit's schedule, `{"elements":[…]}`.
    ///
    /// - Parameter path: the path of the schedule, for errors.
    /// - Throws: ``CarePlanError`` `schedule-invalid` with the path of the member.
    public init(_ json: JSON, at path: String = "$.schedule") throws(CarePlanError) {
        guard let array = json["elements"]?.array, (1...Self.maximumElements).contains(array.count) else {
            throw CarePlanError(.scheduleInvalid, at: path + ".elements")
        }
        var elements: [CareScheduleElement] = []
        elements.reserveCapacity(array.count)
        for (index, element) in array.enumerated() {
            elements.append(try CareScheduleElement(element, at: "\(path).elements[\(index)]"))
        }
        self.elements = elements.enumerated()
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    /// The start of the first element.
    public var start: Date { elements[0].start }

    /// The latest end of an element, exclusive; nil if an element has no end.
    public var end: Date? {
        var latest = Date.distantPast
        for element in elements {
            guard let end = element.end else { return nil }
            latest = max(latest, end)
        }
        return latest
    }

    /// Returns the event with an index; nil if the schedule ends before it, or if the index is negative.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense` if the calendar would have to compute too many events.
    public func event(occurrence: Int) throws(CarePlanError) -> CareScheduleEvent? {
        var budget = ScheduleBudget()
        return try event(occurrence: occurrence, &budget)
    }

    /// Returns the events that overlap the time from `start` to `end`, in the order of their starts.
    ///
    /// As in CareKit, an event overlaps if it starts before `end` and ends at `start` or later, and its element ends after
    /// `start`. Unlike those of CareKit's `events(from:to:)`, the indices do not depend on the query.
    ///
    /// - Parameter limit: maximum number of events.
    /// - Throws: ``CarePlanError`` `schedule-too-dense` if there are more events, or the calendar would have to compute too
    ///   many of them.
    public func events(from start: Date, to end: Date, limit: Int) throws(CarePlanError) -> [CareScheduleEvent] {
        var budget = ScheduleBudget()
        return try events(from: start, to: end, limit: limit, &budget)
    }
}
