import CarePlans
import Core
import Foundation

/// Changes by the user. Each is durable when its call returns, and is sent by the next sync. Either all versions of a call
/// are made or none.
extension CarePlanStore {
    /// Adds entities, each `{"type","object"}`. Members that every version has may be absent; dates may be ISO 8601 texts.
    ///
    /// - Returns: the new versions.
    /// - Throws: `CarePlanEditError`, such as `id-in-use`; storage errors.
    @discardableResult
    public func add(_ drafts: [JSON]) throws -> [CareEntity] {
        let drafts = try drafts.map { try CareStoreDraft($0) }
        return try change { edit throws(CarePlanEditError) in
            for draft in drafts { try edit.add(draft.kind, draft.object) }
        }
    }

    /// Changes entities: the members of each `{"type","object"}` replace those of the current version with its id, null
    /// removes a member, and others stay.
    ///
    /// - Returns: the new versions.
    /// - Throws: `CarePlanEditError`, such as `entity-missing`, `update-after-deletion` and `outcomes-lost`; storage errors.
    @discardableResult
    public func update(_ drafts: [JSON]) throws -> [CareEntity] {
        let drafts = try drafts.map { try CareStoreDraft($0) }
        return try change { edit throws(CarePlanEditError) in
            for draft in drafts { try edit.update(draft.kind, draft.object) }
        }
    }

    /// Deletes an entity by a further version.
    ///
    /// - Returns: the new version.
    /// - Throws: `CarePlanEditError`, such as `entity-missing`; storage errors.
    @discardableResult
    public func delete(_ kind: CareEntityKind, id: String) throws -> [CareEntity] {
        try change { edit throws(CarePlanEditError) in try edit.delete(kind, id: id) }
    }

    /// Records the outcome of an event. It replaces the values of an outcome that the event has.
    ///
    /// - Parameters:
    ///   - task: the id of the task, or the uuid of one of its versions. For an id, the newest version counts that has the
    ///     event in force.
    ///   - occurrence: the index of the event in the schedule of the version, from 0.
    ///   - values: the values, in CareKit's JSON, or as numbers, texts and truth values alone.
    /// - Returns: the new version.
    /// - Throws: `CarePlanEditError`, such as `occurrence-missing` and `event-overshadowed`; storage errors.
    @discardableResult
    public func recordOutcome(task: String, occurrence: Int, values: [JSON]) throws -> [CareEntity] {
        try change { edit throws(CarePlanEditError) in
            let event = try edit.event(task: task, occurrence: occurrence)
            if edit.contents.outcome(of: event) == nil {
                try edit.record(event, values: values)
            } else {
                try edit.replaceValues(event, with: values)
            }
        }
    }

    /// Removes the outcome of an event. The next outcome of the event has a new id.
    ///
    /// - Returns: the new version.
    /// - Throws: `CarePlanEditError`, such as `entity-missing`; storage errors.
    @discardableResult
    public func removeOutcome(task: String, occurrence: Int) throws -> [CareEntity] {
        try change { edit throws(CarePlanEditError) in
            let event = try edit.event(task: task, occurrence: occurrence)
            try edit.removeOutcome(event)
        }
    }

    private func change(
        _ body: (inout CarePlanEdit) throws(CarePlanEditError) -> Void
    ) throws -> [CareEntity] {
        var edit = CarePlanEdit(copy.contents, now: now(), timeZone: timeZone, makeUUID: makeUUID)
        try body(&edit)
        try commit(edit.versions)
        return edit.versions
    }
}

/// `{"type","object"}` of a draft, whose object may lack members.
private struct CareStoreDraft {
    let kind: CareEntityKind
    let object: JSON

    init(_ json: JSON) throws(CarePlanEditError) {
        guard let kind = json["type"]?.string.flatMap({ CareEntityKind(rawValue: $0) }) else {
            throw .invalid(CarePlanError(.entityInvalid, at: "$.type"))
        }
        guard let object = json["object"] else { throw .invalid(CarePlanError(.entityInvalid, at: "$.object")) }
        self.kind = kind
        self.object = object
    }
}
