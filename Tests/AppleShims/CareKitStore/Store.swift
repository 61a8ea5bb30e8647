import Foundation

/// CareKit: OCKStore.swift
public enum OCKCoreDataStoreType: Equatable, Sendable {
    case inMemory
    case onDisk
}

/// A stand-in for CareKit's store, in memory: its order of steps, its comparison of vectors, its checks and its traps. A
/// trap is recorded instead of ending the process.
public final class OCKStore: Equatable, Sendable {
    public let name: String
    let remote: (any OCKRemoteSynchronizable)?
    package let context: StoreContext

    public convenience init(
        name: String, securityApplicationGroupIdentifier: String? = nil, type: OCKCoreDataStoreType = .onDisk,
        remote: (any OCKRemoteSynchronizable)? = nil
    ) {
        self.init(name: name, remote: remote, surroundings: .system)
    }

    package init(name: String, remote: (any OCKRemoteSynchronizable)?, surroundings: StoreSurroundings) {
        self.name = name
        self.remote = remote
        context = StoreContext(surroundings)
        remote?.delegate = remote?.delegate ?? self
        context.didSave = { [weak self] in self?.autoSynchronizeIfRequired() }
    }

    public static func == (one: OCKStore, other: OCKStore) -> Bool { one.name == other.name }

    public func reset() throws {
        try context.performAndWait {
            context.change { $0.removeAll() }
            try context.save()
        }
    }

    let supportedTypes = OCKEntity.EntityType.allCases

    /// Inserts a version as `copyVersionedValue` and the initialisers of each kind do. A trap inserts nothing.
    @discardableResult
    func insert(
        _ value: any OCKVersionedObjectCompatible, knowledge: OCKRevisionRecord.KnowledgeVector? = nil,
        previous: [UUID]? = nil
    ) -> UUID? {
        var value = value
        let now = context.surroundings.now()
        value.createdDate = value.createdDate ?? now
        value.updatedDate = value.updatedDate ?? now
        value.schemaVersion = OCKSemanticVersion(majorVersion: 2, minorVersion: 1)
        var version = StoredVersion(value: value, knowledge: knowledge ?? context.knowledgeVector)
        if let outcome = value as? OCKOutcome {
            guard let task = context.contents.version(.task, outcome.taskUUID)?.value as? OCKTask else {
                context.trap("The task \(outcome.taskUUID) of an outcome is missing, or is a HealthKit task")
                return nil
            }
            guard outcome.taskOccurrenceIndex >= 0,
                let event = task.schedule.event(forOccurrenceIndex: outcome.taskOccurrenceIndex)
            else {
                context.trap("The schedule has no event \(outcome.taskOccurrenceIndex)")
                return nil
            }
            version.event = DateInterval(start: event.start, end: max(event.start, event.end))
        }
        version.value = inDatabase(value)
        let (links, next) = (previous ?? value.previousVersionUUIDs, value.nextVersionUUIDs)
        context.change { $0.insert(version, previous: links, next: next) }
        context.didInsert(type(of: value).entityType, value.uuid)
        return value.uuid
    }

    /// The losses of CareKit's database: the calendar of a schedule, and references to plans and patients that it lacks.
    private func inDatabase(_ value: any OCKVersionedObjectCompatible) -> any OCKVersionedObjectCompatible {
        func withoutCalendar(_ schedule: OCKSchedule) -> OCKSchedule {
            OCKSchedule(
                composing: schedule.elements.map { element in
                    OCKScheduleElement(
                        start: element.start, end: element.end, interval: element.interval, text: element.text,
                        targetValues: element.targetValues, duration: element.duration, calendar: .current)
                })
        }
        func plan(_ uuid: UUID?) -> UUID? { uuid.flatMap { context.contents.version(.carePlan, $0) }?.value.uuid }
        switch value {
        case var task as OCKTask:
            task.schedule = withoutCalendar(task.schedule)
            task.carePlanUUID = plan(task.carePlanUUID)
            return task
        case var task as OCKHealthKitTask:
            task.schedule = withoutCalendar(task.schedule)
            task.carePlanUUID = plan(task.carePlanUUID)
            return task
        case var contact as OCKContact:
            contact.carePlanUUID = plan(contact.carePlanUUID)
            return contact
        case var carePlan as OCKCarePlan:
            carePlan.patientUUID =
                carePlan.patientUUID.flatMap { context.contents.version(.patient, $0) }?.value.uuid
            return carePlan
        default: return value
        }
    }

    /// A version as CareKit's database returns it: links of both directions, sets in any order.
    func value(_ version: StoredVersion) -> any OCKVersionedObjectCompatible {
        var generator = context.surroundings.generator
        var value = version.value
        value.previousVersionUUIDs = ordered(version.previous, by: &generator)
        value.nextVersionUUIDs = ordered(version.next, by: &generator)
        guard var outcome = value as? OCKOutcome else { return value }
        if outcome.values.count > 1 { outcome.values.shuffle(using: &generator) }
        return outcome
    }

    private func ordered(_ uuids: Set<UUID>, by generator: inout some RandomNumberGenerator) -> [UUID] {
        guard uuids.count > 1 else { return Array(uuids) }
        return uuids.sorted { $0.uuidString < $1.uuidString }.shuffled(using: &generator)
    }
}
