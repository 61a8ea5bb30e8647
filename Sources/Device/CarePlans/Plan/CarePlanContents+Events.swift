import Core
import Foundation

extension CarePlanContents {
    /// Maximum number of events in one answer.
    public static let maximumEvents = 10_000
    /// Maximum number of days of a question.
    public static let maximumDays = 400
    /// Maximum number of events that are counted for adherence.
    private static let maximumCounted = 100_000

    /// A version of a task with the time in which it is in force, in seconds since 2001.
    struct TaskInForce {
        let version: CareEntity
        let from: Double
        /// Exclusive; infinite for the newest version.
        let to: Double
    }

    /// Returns the versions of a task and the times in which they are in force, newest version first.
    ///
    /// A version is in force from its `effectiveDate` until a newer version is. A tombstone is a version without events.
    /// Where a version follows several ones, the winner among these continues the history.
    func versionsInForce(of key: EntityKey) -> [TaskInForce] {
        var inForce: [TaskInForce] = []
        var end = Double.infinity
        for version in history(of: key) where version.effectiveDate < end {
            if !version.isTombstone {
                inForce.append(TaskInForce(version: version, from: version.effectiveDate, to: end))
            }
            end = version.effectiveDate
        }
        return inForce
    }

    /// Returns the newest version of an entity, the one that it follows, and so on.
    func history(of key: EntityKey) -> [CareEntity] {
        var history: [CareEntity] = []
        var seen: Set<UUID> = []
        var version = newestVersion(of: key)
        while let current = version, seen.insert(current.uuid).inserted {
            history.append(current)
            version = ConflictResolution.winner(
                of: current.previous.compactMap { graph.versions[$0] }.filter { EntityKey($0) == key })
        }
        return history
    }

    /// Returns the events that overlap the time from `start` to `end`, in the order of their starts, with their outcomes.
    ///
    /// The events of a task are the events of each version during the time in which the version is in force. As in CareKit,
    /// an event overlaps a time if it starts before the end and ends at the start or later.
    ///
    /// - Throws: ``CarePlanError`` `range-too-large` for more than ``maximumDays`` or ``maximumEvents``;
    ///   `schedule-too-dense` and `schedule-invalid` with the uuid of the task version.
    public func events(from start: Date, to end: Date) throws(CarePlanError) -> [CareEvent] {
        // One more hour: a clock change can make the first or the last day longer.
        guard end.timeIntervalSince(start) <= Double(Self.maximumDays) * 86_400 + 3_600 else {
            throw CarePlanError(.rangeTooLarge, at: "to")
        }
        return try events(from: start, to: end, limit: Self.maximumEvents) { _ in true }
            .sorted(by: CareEvent.isBefore)
    }

    private func events(
        from start: Date, to end: Date, limit: Int, where isIncluded: (CareEntity) -> Bool
    ) throws(CarePlanError) -> [CareEvent] {
        var events: [CareEvent] = []
        var budget = ScheduleBudget(ScheduleBudget.plan)
        for key in taskKeys {
            for inForce in versionsInForce(of: key) where isIncluded(inForce.version) {
                let from = max(start, Date(timeIntervalSinceReferenceDate: inForce.from))
                let to = min(end, Date(timeIntervalSinceReferenceDate: inForce.to))
                guard from < to else { continue }
                do throws(CarePlanError) {
                    let task = try CareTask(inForce.version)
                    let found = try task.schedule.events(
                        from: from, to: to, limit: limit - events.count, reason: .rangeTooLarge, &budget)
                    for event in found {
                        let outcome = outcome(of: CareEvent.Key(task: task.uuid, occurrence: event.occurrence))
                        events.append(CareEvent(task: task, schedule: event, outcome: outcome))
                    }
                } catch {
                    guard error.reason != .rangeTooLarge else { throw CarePlanError(.rangeTooLarge, at: "to") }
                    throw CarePlanError(error.reason, at: inForce.version.uuid.uuidString + error.location.dropFirst())
                }
            }
        }
        return events
    }

    /// Returns the adherence of each day from `first` to `last`, both inclusive.
    ///
    /// An event counts on the day on which it starts, in the calendar of its schedule element. Only tasks with
    /// `impactsAdherence` count. HealthKit tasks do not, because their outcomes remain on the phone.
    ///
    /// - Throws: ``CarePlanError`` as ``events(from:to:)``.
    public func adherence(from first: CareDay, to last: CareDay) throws(CarePlanError) -> [CareAdherence] {
        guard first <= last else { return [] }
        guard last.number - first.number < Self.maximumDays else { throw CarePlanError(.rangeTooLarge, at: "to") }
        var days = (first.number...last.number).map { CareAdherence(day: CareDay(number: $0)) }
        let (start, end) = CareDay.time(from: first, to: last)
        let events = try events(from: start, to: end, limit: Self.maximumCounted) {
            $0.kind == .task && $0.object["impactsAdherence"]?.bool != false
        }
        for event in events {
            let index = event.day.number - first.number
            guard days.indices.contains(index) else { continue }
            days[index].due += 1
            if event.outcome != nil { days[index].done += 1 }
        }
        return days
    }
}
