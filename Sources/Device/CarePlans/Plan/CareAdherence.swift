import Core

/// The events of one day: how many were due, and how many of them have a live outcome.
public struct CareAdherence: Sendable, Hashable {
    /// The day, in the calendars of the schedules.
    public let day: CareDay
    /// Number of events.
    public var due: Int
    /// Number of events with a live outcome.
    public var done: Int

    /// Creates the adherence of a day.
    public init(day: CareDay, due: Int = 0, done: Int = 0) {
        self.day = day
        self.due = due
        self.done = done
    }

    /// `{"date","due","done"}`.
    public var json: JSON {
        ["date": .string(day.text), "due": .number(JSONNumber(due)), "done": .number(JSONNumber(done))]
    }
}
