import Core
import Foundation

extension CarePlanEdit {
    /// Checks that the schedule of a new task version can be computed and does not drift. A schedule that stays as it was is
    /// not checked for drift.
    func checkSchedule(of version: CareEntity, after current: CareEntity?) throws(CarePlanEditError) {
        guard version.kind == .task || version.kind == .healthKitTask else { return }
        do throws(CarePlanError) {
            let task = try CareTask(version)
            guard version.object["schedule"] != current?.object["schedule"] else { return }
            for (index, element) in task.schedule.elements.enumerated() where try ScheduleDrift.drifts(element) {
                throw CarePlanError(.scheduleInvalid, at: "drift $.schedule.elements[\(index)]")
            }
        } catch {
            if error.location.hasPrefix("drift ") { throw .scheduleDrifts(String(error.location.dropFirst(6))) }
            throw .invalid(error)
        }
    }

    /// Returns an event of a task version; nil if there is none with this index.
    func event(of version: CareEntity, occurrence: Int) throws(CarePlanEditError) -> CareScheduleEvent? {
        do throws(CarePlanError) {
            return try CareTask(version).schedule.event(occurrence: occurrence)
        } catch {
            throw .invalid(error)
        }
    }

    /// Checks that an event can have an outcome: its task version is known and has the event, and no newer version of the
    /// task that starts at the event or before overshadows it.
    func checkEvent(_ key: CareEvent.Key) throws(CarePlanEditError) {
        guard let version = contents.graph.versions[key.task], version.kind == .task || version.kind == .healthKitTask
        else { throw .entityMissing(key.task.uuidString) }
        guard version.kind == .task else { throw .outcomeImpossible }
        guard !version.isTombstone else { throw .updateAfterDeletion(version.id) }
        guard let event = try event(of: version, occurrence: key.occurrence) else {
            throw .occurrenceMissing(key.occurrence)
        }
        var newer = Array(contents.graph.next[version.uuid] ?? [])
        var seen = Set(newer)
        while let uuid = newer.popLast() {
            guard let follower = contents.graph.versions[uuid] else { continue }
            guard follower.effectiveDate > event.start.timeIntervalSinceReferenceDate else { throw .eventOvershadowed }
            for next in contents.graph.next[uuid] ?? [] where seen.insert(next).inserted { newer.append(next) }
        }
    }

    /// Checks that a new version of a task starts after the events of all live outcomes of earlier versions.
    func checkOutcomesAreKept(_ version: CareEntity) throws(CarePlanEditError) {
        for earlier in contents.history(of: .init(version)) {
            // The starts of events increase with their index.
            guard let last = contents.lastOutcome(of: earlier.uuid) else { continue }
            guard let event = try event(of: earlier, occurrence: last) else { continue }
            guard version.effectiveDate > event.start.timeIntervalSinceReferenceDate else {
                throw .outcomesLost(version.id)
            }
        }
    }
}
