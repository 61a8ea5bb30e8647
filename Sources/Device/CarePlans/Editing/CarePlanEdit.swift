import Core
import Foundation

/// Changes of a care plan on our side: it makes the new versions, and refuses those that a CareKit store would refuse or that
/// would lose data.
///
/// Several changes can be made one after the other; each sees the ones before it. Nothing is added if a change throws.
public struct CarePlanEdit: Sendable {
    /// The plan with the new versions.
    public private(set) var contents: CarePlanContents
    /// The new versions, in the order in which they were made.
    public private(set) var versions: [CareEntity] = []

    private let now: Date
    private let zone: TimeZone
    private let makeUUID: @Sendable () -> UUID

    /// Creates an edit of a plan.
    ///
    /// - Parameters:
    ///   - contents: the plan.
    ///   - now: the time of the changes.
    ///   - timeZone: the time zone of the person who makes the changes.
    ///   - makeUUID: returns a new random identity.
    public init(
        _ contents: CarePlanContents, now: Date, timeZone: TimeZone,
        makeUUID: @escaping @Sendable () -> UUID = { UUID.random() }
    ) {
        self.contents = contents
        self.now = now
        zone = timeZone
        self.makeUUID = makeUUID
    }

    /// Adds an entity.
    ///
    /// The draft has CareKit's JSON. Dates may be ISO 8601 texts. Missing members have the values that CareKit's
    /// initialisers set: a new uuid, the present, the Gregorian calendar in the time zone of the person, one hour for an
    /// event, and the start of the schedule as the `effectiveDate` of a task. The id of an outcome is random.
    ///
    /// - Throws: ``CarePlanEditError``
    @discardableResult
    public mutating func add(_ kind: CareEntityKind, _ draft: JSON) throws(CarePlanEditError) -> CareEntity {
        var draft = try self.draft(kind, draft, in: nil)
        if kind == .outcome, draft.object["id"] == nil { draft.object["id"] = .string(makeUUID().uuidString) }
        draft.object["deletedDate"] = nil
        draft.addDefaults(uuid: makeUUID())
        let version = try entity(kind, draft.object)
        guard !isUsed(version) else { throw .idInUse(version.id) }
        try checkSchedule(of: version, after: nil)
        if let event = version.event {
            try checkEvent(event)
            guard contents.liveOutcomes(of: event).isEmpty else { throw .outcomeExists }
        }
        return insert(version)
    }

    /// Changes an entity: the members of the draft replace those of the current version, null removes a member, and others
    /// stay.
    ///
    /// A change of a task without `effectiveDate` counts from now on, or from the start of the current version if that is
    /// later.
    ///
    /// - Throws: ``CarePlanEditError``
    @discardableResult
    public mutating func update(_ kind: CareEntityKind, _ draft: JSON) throws(CarePlanEditError) -> CareEntity {
        guard let id = draft["id"]?.string else { throw .invalid(CarePlanError(.entityInvalid, at: "$.id")) }
        let current = try current(kind, id: id)
        var changes = try self.draft(kind, draft, in: current).object
        if kind == .task || kind == .healthKitTask, draft["effectiveDate"] == nil {
            changes["effectiveDate"] = CareDraft.number(max(now.timeIntervalSinceReferenceDate, current.effectiveDate))
        }
        changes["createdDate"] = current.object["createdDate"]
        var draft = current.object
        for member in changes.object?.members ?? [] {
            draft[member.key] = member.value.isNull ? JSON?.none : member.value
        }
        draft["deletedDate"] = nil
        follow(contents.tips(of: .init(current)), &draft)
        let version = try entity(kind, draft)
        try checkSchedule(of: version, after: current)
        if version.kind == .task || version.kind == .healthKitTask { try checkOutcomesAreKept(version) }
        if let event = version.event {
            guard event == current.event else { throw .invalid(CarePlanError(.entityInvalid, at: "$.taskUUID")) }
            try checkEvent(event)
        }
        return insert(version)
    }

    /// Deletes an entity: a version with `deletedDate` follows it.
    ///
    /// - Throws: ``CarePlanEditError`` `entity-missing`, `update-after-deletion`.
    @discardableResult
    public mutating func delete(_ kind: CareEntityKind, id: String) throws(CarePlanEditError) -> CareEntity {
        let current = try current(kind, id: id)
        return try delete(current, following: contents.tips(of: .init(current)))
    }

    /// Records the outcome of an event.
    ///
    /// - Parameter values: numbers, texts or Booleans, or objects of CareKit's JSON of outcome values.
    /// - Throws: ``CarePlanEditError``
    @discardableResult
    public mutating func record(_ event: CareEvent.Key, values: [JSON]) throws(CarePlanEditError) -> CareEntity {
        try add(
            .outcome,
            [
                "taskUUID": .string(event.task.uuidString),
                "taskOccurrenceIndex": .number(JSONNumber(event.occurrence)), "values": .array(values),
            ])
    }

    /// Replaces the values of the outcome of an event.
    ///
    /// - Throws: ``CarePlanEditError`` `outcome-missing`, and as for ``record(_:values:)``.
    @discardableResult
    public mutating func replaceValues(_ event: CareEvent.Key, with values: [JSON]) throws(CarePlanEditError)
        -> CareEntity
    {
        guard let current = contents.outcome(of: event) else { throw .outcomeMissing }
        try checkEvent(event)
        let draft = try self.draft(.outcome, ["values": .array(values)], in: current)
        var object = current.object
        object["values"] = draft.object["values"]
        follow(liveTips(of: event), &object)
        let version = try entity(.outcome, object)
        return insert(version)
    }

    /// Removes the outcome of an event. A later outcome of the event gets a new id.
    ///
    /// - Throws: ``CarePlanEditError`` `outcome-missing`.
    @discardableResult
    public mutating func removeOutcome(_ event: CareEvent.Key) throws(CarePlanEditError) -> CareEntity {
        guard let current = contents.outcome(of: event) else { throw .outcomeMissing }
        return try delete(current, following: liveTips(of: event))
    }

    /// Returns the identity of an event: the newest version of the task in which the event with this index is in force.
    ///
    /// - Parameter task: the id of the task, or the uuid of one of its versions.
    /// - Throws: ``CarePlanEditError`` `entity-missing`, `occurrence-missing`, `event-overshadowed`.
    public func event(task: String, occurrence: Int) throws(CarePlanEditError) -> CareEvent.Key {
        if let uuid = UUID(text: task), contents.graph.versions[uuid] != nil {
            return CareEvent.Key(task: uuid, occurrence: occurrence)
        }
        let keys = [CareEntityKind.task, .healthKitTask].map { CarePlanContents.EntityKey($0, id: task) }
        guard let key = keys.first(where: { contents.currentVersion(of: $0) != nil }) else {
            throw keys.contains { contents.newestVersion(of: $0) != nil }
                ? .updateAfterDeletion(task) : .entityMissing(task)
        }
        var isKnown = false
        for inForce in contents.versionsInForce(of: key) {
            guard let event = try self.event(of: inForce.version, occurrence: occurrence) else { continue }
            isKnown = true
            if event.start.timeIntervalSinceReferenceDate < inForce.to,
                event.end.timeIntervalSinceReferenceDate >= inForce.from
            {
                return CareEvent.Key(task: inForce.version.uuid, occurrence: occurrence)
            }
        }
        throw isKnown ? .eventOvershadowed : .occurrenceMissing(occurrence)
    }

    /// Reads a draft.
    ///
    /// - Parameter current: the version that it changes, whose time zone counts; nil for a new entity.
    private func draft(_ kind: CareEntityKind, _ object: JSON, in current: CareEntity?) throws(CarePlanEditError)
        -> CareDraft
    {
        do throws(CarePlanError) {
            let zone = CareCalendar.timeZone(current?.object["timezone"]) ?? zone
            var draft = try CareDraft(kind: kind, object: object, now: now, zone: zone)
            try draft.normalize()
            if current != nil, object["timezone"] == nil { draft.object["timezone"] = nil }
            return draft
        } catch {
            throw .invalid(error)
        }
    }

    /// Makes an object the follower of versions, with a new identity.
    private func follow(_ versions: [CareEntity], _ object: inout JSON) {
        object["uuid"] = .string(makeUUID().uuidString)
        object["previousVersionUUIDs"] = .array(versions.map { .string($0.uuid.uuidString) })
        object["nextVersionUUIDs"] = []
        object["updatedDate"] = CareDraft.number(now.timeIntervalSinceReferenceDate)
    }

    private func entity(_ kind: CareEntityKind, _ object: JSON) throws(CarePlanEditError) -> CareEntity {
        do throws(CarePlanError) {
            return try CareEntity(kind: kind, object: object)
        } catch {
            throw .invalid(error)
        }
    }

    private mutating func insert(_ version: CareEntity) -> CareEntity {
        contents.insert(version)
        versions.append(version)
        return version
    }

    private mutating func delete(_ current: CareEntity, following tips: [CareEntity]) throws(CarePlanEditError)
        -> CareEntity
    {
        var object = current.object
        follow(tips, &object)
        object["deletedDate"] = object["updatedDate"]
        let version = try entity(current.kind, object)
        return insert(version)
    }

    private func current(_ kind: CareEntityKind, id: String) throws(CarePlanEditError) -> CareEntity {
        let versions = contents.versions(of: .init(kind, id: id))
        guard !versions.isEmpty else { throw .entityMissing(id) }
        // CareKit's store refuses changes of an id that has a deleted version.
        guard !versions.contains(where: \.isTombstone), let current = contents.currentVersion(of: .init(kind, id: id))
        else { throw .updateAfterDeletion(id) }
        return current
    }

    private func liveTips(of event: CareEvent.Key) -> [CareEntity] {
        contents.liveOutcomes(of: event).flatMap { contents.tips(of: .init($0)) }
    }

    private func isUsed(_ version: CareEntity) -> Bool {
        // Task and HealthKit task share their ids, because an event names its task by id.
        let kinds: [CareEntityKind] =
            version.kind == .task || version.kind == .healthKitTask ? [.task, .healthKitTask] : [version.kind]
        return contents.graph.versions[version.uuid] != nil
            || kinds.contains { !contents.versions(of: .init($0, id: version.id)).isEmpty }
    }
}
