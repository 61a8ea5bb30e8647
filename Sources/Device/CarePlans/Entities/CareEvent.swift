import Core
import Foundation

/// An event of a task: one occurrence of the schedule of a task version.
public struct CareEvent: Sendable, Hashable {
    /// The identity of an event.
    public struct Key: Sendable, Hashable {
        /// The task version (`taskUUID`).
        public let task: UUID
        /// The index of the occurrence in the schedule of the task version (`taskOccurrenceIndex`), from 0.
        public let occurrence: Int

        /// Creates the identity of an event.
        public init(task: UUID, occurrence: Int) {
            self.task = task
            self.occurrence = occurrence
        }
    }

    /// The version of the task.
    public let task: CareTask
    /// The event of its schedule.
    public let schedule: CareScheduleEvent
    /// The live outcome; nil if there is none.
    public let outcome: CareEntity?

    /// Creates an event.
    public init(task: CareTask, schedule: CareScheduleEvent, outcome: CareEntity?) {
        self.task = task
        self.schedule = schedule
        self.outcome = outcome
    }

    /// The identity.
    public var key: Key { Key(task: task.uuid, occurrence: schedule.occurrence) }
    /// The schedule element.
    public var element: CareScheduleElement { task.schedule.elements[schedule.element] }
    /// The day on which the event starts, in the time zone of its element.
    public var day: CareDay { CareDay(schedule.start, in: element.calendar.timeZone) }

    /// `{"task","occurrence","start","end","outcome"}`: `task` is the id that all versions share, times are ISO 8601 with the
    /// offset of the element's time zone, and `outcome` is the JSON of CareKit or null.
    public var json: JSON {
        [
            "task": .string(task.id), "occurrence": .number(JSONNumber(schedule.occurrence)),
            "start": .string(time(schedule.start)), "end": .string(time(schedule.end)),
            "outcome": outcome?.object ?? JSON.null,
        ]
    }

    private func time(_ instant: Date) -> String {
        let seconds = instant.timeIntervalSince1970
        return DateTime(
            instant, offsetMinutes: DateTime.offsetMinutes(of: element.calendar.timeZone, at: instant),
            milliseconds: seconds.rounded(.down) != seconds
        ).text
    }

    /// The order of events: by start, then by the identity of the task version, then by index.
    static func isBefore(_ one: CareEvent, _ other: CareEvent) -> Bool {
        if one.schedule.start != other.schedule.start { return one.schedule.start < other.schedule.start }
        if one.task.uuid != other.task.uuid { return one.task.uuid.halves < other.task.uuid.halves }
        return one.schedule.occurrence < other.schedule.occurrence
    }
}
