import CarePlans
import Core
import Foundation

/// The versions of one change, each made by the rules of creation from the plan with those before it.
struct CareChanges {
    private(set) var contents: CarePlanContents
    let now: Date
    let makeUUID: () -> UUID
    private(set) var versions: [CareEntity] = []

    init(contents: CarePlanContents, now: Date, makeUUID: @escaping () -> UUID) {
        (self.contents, self.now, self.makeUUID) = (contents, now, makeUUID)
    }

    mutating func add(_ draft: JSON) throws(CarePlanError) {
        try take(CareEntity(stamped(draft, following: [])))
    }

    mutating func update(_ draft: JSON) throws(CarePlanError) {
        let version = try CareEntity(stamped(draft, following: []))
        let tips = contents.tips(of: .init(version))
        try take(CareEntity(stamped(draft, following: tips.map(\.uuid))))
    }

    mutating func delete(_ kind: CareEntityKind, id: String) throws(CarePlanError) {
        guard let version = contents.currentVersion(of: .init(kind, id: id)) else {
            throw CarePlanError(.entityInvalid, at: "$.id")
        }
        var draft = version.json
        var object = version.object
        object["uuid"] = .string(makeUUID().uuidString)
        object["deletedDate"] = date
        draft["object"] = object
        try take(CareEntity(stamped(draft, following: [version.uuid])))
    }

    mutating func recordOutcome(task: String, occurrence: Int, values: [JSON]) throws(CarePlanError) {
        guard let task = contents.currentVersion(of: .init(.task, id: task)) else {
            throw CarePlanError(.entityInvalid, at: "$.taskUUID")
        }
        let former = contents.outcome(of: CareEvent.Key(task: task.uuid, occurrence: occurrence))
        let object: JSON = [
            "id": .string(former?.id ?? makeUUID().uuidString), "taskUUID": .string(task.uuid.uuidString),
            "taskOccurrenceIndex": .number(JSONNumber(occurrence)), "values": .array(values),
        ]
        try take(CareEntity(stamped(["type": "outcome", "object": object], following: former.map { [$0.uuid] } ?? [])))
    }

    mutating func removeOutcome(task: String, occurrence: Int) throws(CarePlanError) {
        guard let task = contents.currentVersion(of: .init(.task, id: task)),
            let outcome = contents.outcome(of: CareEvent.Key(task: task.uuid, occurrence: occurrence))
        else { throw CarePlanError(.entityInvalid, at: "$.taskUUID") }
        try delete(.outcome, id: outcome.id)
    }

    private var date: JSON {
        JSONNumber(text: String(now.timeIntervalSinceReferenceDate)).map { .number($0) } ?? .null
    }

    private func stamped(_ draft: JSON, following previous: [UUID]) -> JSON {
        var object = draft["object"] ?? [:]
        object["uuid"] = object["uuid"] ?? .string(makeUUID().uuidString)
        if !previous.isEmpty { object["uuid"] = .string(makeUUID().uuidString) }
        object["previousVersionUUIDs"] = .array(previous.map { .string($0.uuidString) })
        object["nextVersionUUIDs"] = []
        object["effectiveDate"] = object["effectiveDate"] ?? date
        object["createdDate"] = object["createdDate"] ?? date
        object["updatedDate"] = date
        var draft = draft
        draft["object"] = object
        return draft
    }

    private mutating func take(_ version: CareEntity) {
        contents.insert(version)
        versions.append(version)
    }
}
