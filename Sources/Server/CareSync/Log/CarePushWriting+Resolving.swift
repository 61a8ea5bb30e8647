import CarePlans
import Core
import Foundation
import Storage

extension CarePushWriting {
    private struct Identity: Hashable {
        let kind: CareEntityKind
        let id: String
    }

    /// Resolves the conflicts of the entities and events of new versions: first several tips of one id, then several live
    /// outcomes of one event, whatever their ids. Each conflict gets one version that follows them all.
    mutating func resolve(_ new: [CareEntity]) throws {
        var isSeen: Set<Identity> = []
        var events = new.compactMap(\.event)
        for entity in new where isSeen.insert(Identity(kind: entity.kind, id: entity.id)).inserted {
            let added = try settle(
                SQLQuery(
                    Self.tipsSQL, [SQLValue(push.patient), SQLValue(entity.kind.rawValue), SQLValue(entity.id)]))
            events += added.compactMap(\.event)
        }
        var isSettled: Set<CareEvent.Key> = []
        for event in events where isSettled.insert(event).inserted {
            try settle(
                SQLQuery(
                    Self.liveOutcomesSQL,
                    [SQLValue(push.patient), SQLValue(event.task.uuidString), SQLValue(event.occurrence)]))
        }
    }

    /// Adds versions until a query returns no more than one.
    ///
    /// - Returns: the added versions.
    @discardableResult
    private mutating func settle(_ conflict: SQLQuery) throws -> [CareEntity] {
        var added: [CareEntity] = []
        while true {
            let rows = try transaction.query(conflict.sql, conflict.parameters)
            guard rows.count > 1 else { return added }
            let tips = try rows.map { row in
                guard let kind = CareEntityKind(rawValue: try row.text("kind")) else {
                    throw StorageError(code: "storage-column", message: "A version has an unknown kind.")
                }
                return try CareStoredVersion.entity(kind, content: row.text("content"))
            }
            added.append(try settle(tips))
        }
    }

    /// Adds a version that follows several versions.
    @discardableResult
    mutating func settle(_ tips: [CareEntity]) throws -> CareEntity {
        guard
            let resolution = ConflictResolution.resolution(of: tips, uuid: UUID(random(16), version: .random))
        else { throw StorageError(code: "storage-column", message: "A conflict cannot be resolved.") }
        isTicked = true
        vector[process] = tick
        try insert(resolution, vector: vector, arrival: nil)
        return resolution
    }

    /// Tips of an entity. Parameters: account, kind, id.
    static let tipsSQL = """
        SELECT kind, content FROM care_version
        WHERE account_id = ? AND kind = ? AND entity_id = ? AND followed_by IS NULL LIMIT \(CareLimits.tipsPerResolution)
        """
    /// Live outcomes of an event. Parameters: account, task, occurrence.
    static let liveOutcomesSQL = """
        SELECT kind, content FROM care_version
        WHERE account_id = ? AND task = ? AND occurrence = ? AND task IS NOT NULL AND followed_by IS NULL
            AND is_tombstone = 0 LIMIT \(CareLimits.tipsPerResolution)
        """
}
