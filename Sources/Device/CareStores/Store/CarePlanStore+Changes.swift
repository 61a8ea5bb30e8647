import CarePlans
import Core
import Foundation

/// Changes by the user. Each is durable when its call returns, and is sent by the next sync. Either all versions of a call
/// are made or none.
extension CarePlanStore {
    /// Adds entities, each `{"type","object"}`. Members that every version has may be absent; dates may be ISO 8601 texts.
    ///
    /// - Returns: the new versions.
    /// - Throws: `CarePlanError`, such as `id-in-use`; storage errors.
    @discardableResult
    public func add(_ drafts: [JSON]) throws -> [CareEntity] {
        try change { edit throws(CarePlanError) in
            for draft in drafts { try edit.add(draft) }
        }
    }

    /// Changes entities: each `{"type","object"}` follows the current version with its id.
    ///
    /// - Returns: the new versions.
    /// - Throws: `CarePlanError`, such as `entity-missing`, `update-after-deletion` and `outcomes-lost`; storage errors.
    @discardableResult
    public func update(_ drafts: [JSON]) throws -> [CareEntity] {
        try change { edit throws(CarePlanError) in
            for draft in drafts { try edit.update(draft) }
        }
    }

    /// Deletes an entity by a further version.
    ///
    /// - Returns: the new version.
    /// - Throws: `CarePlanError`, such as `entity-missing`; storage errors.
    @discardableResult
    public func delete(_ kind: CareEntityKind, id: String) throws -> [CareEntity] {
        try change { edit throws(CarePlanError) in try edit.delete(kind, id: id) }
    }

    /// Records the outcome of an event of the current version of a task. It replaces the values of an outcome that the event
    /// has.
    ///
    /// - Parameters:
    ///   - task: the id of the task.
    ///   - occurrence: the index of the event in the schedule, from 0.
    ///   - values: the values, in CareKit's JSON, or as numbers, texts and truth values alone.
    /// - Returns: the new version.
    /// - Throws: `CarePlanError`, such as `occurrence-missing` and `event-overshadowed`; storage errors.
    @discardableResult
    public func recordOutcome(task: String, occurrence: Int, values: [JSON]) throws -> [CareEntity] {
        try change { edit throws(CarePlanError) in
            try edit.recordOutcome(task: task, occurrence: occurrence, values: values)
        }
    }

    /// Removes the outcome of an event. The next outcome of the event has a new id.
    ///
    /// - Returns: the new version.
    /// - Throws: `CarePlanError`, such as `entity-missing`; storage errors.
    @discardableResult
    public func removeOutcome(task: String, occurrence: Int) throws -> [CareEntity] {
        try change { edit throws(CarePlanError) in try edit.removeOutcome(task: task, occurrence: occurrence) }
    }

    private func change(_ body: (inout CareChanges) throws(CarePlanError) -> Void) throws -> [CareEntity] {
        var changes = CareChanges(contents: copy.contents, now: now(), makeUUID: makeUUID)
        try body(&changes)
        try commit(changes.versions)
        return changes.versions
    }
}
