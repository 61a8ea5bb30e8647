import Foundation

/// One event of a schedule.
public struct CareScheduleEvent: Sendable, Hashable {
    /// The index of the event in the schedule, from 0. It is the same in every query.
    public let occurrence: Int
    /// The start.
    public let start: Date
    /// The end. An event of a whole day ends one second before the next day.
    public let end: Date
    /// The index of the element in the schedule.
    public let element: Int
}
