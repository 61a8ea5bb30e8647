import CarePlans
import Core
import Foundation
import Storage

/// The versions of the log that a push contains or names.
struct CareReferences {
    /// The facts of a version that decide whether another version may name it.
    private struct Named {
        let kind: CareEntityKind
        let id: String
        let event: CareEvent.Key?

        init(_ entity: CareEntity) {
            kind = entity.kind
            id = entity.id
            event = entity.event
        }

        init(_ row: SQLRow) throws {
            guard let kind = CareEntityKind(rawValue: try row.text("kind")) else {
                throw StorageError(code: "storage-column", message: "A version has an unknown kind.")
            }
            self.kind = kind
            id = try row.text("entity_id")
            let task = row.textIfPresent("task").flatMap { UUID(text: $0) }
            event = task.flatMap { task in
                row.integerIfPresent("occurrence").map { CareEvent.Key(task: task, occurrence: Int($0)) }
            }
        }
    }

    private let transaction: any SQLTransaction
    private let push: CarePush
    private var stored: [UUID: Named] = [:]

    init(_ push: CarePush, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.push = push
        var wanted: Set<UUID> = []
        for entry in push.entries {
            wanted.insert(entry.entity.uuid)
            wanted.formUnion(entry.entity.previous)
            if let event = entry.entity.event { wanted.insert(event.task) }
        }
        let uuids = wanted.map(\.uuidString).sorted()
        for start in stride(from: 0, to: uuids.count, by: Self.batch) {
            // The last batch repeats its last identity: all batches are one statement.
            let last = uuids.count - 1
            let names = (start..<start + Self.batch).map { SQLValue(uuids[min($0, last)]) }
            for row in try transaction.query(Self.storedSQL, [SQLValue(push.patient)] + names) {
                guard let uuid = UUID(text: try row.text("uuid")) else { continue }
                stored[uuid] = try Named(row)
            }
        }
    }

    /// Whether a version is in the log.
    func isStored(_ uuid: UUID) -> Bool { stored[uuid] != nil }

    /// Checks the references of new versions in causal order.
    ///
    /// - Throws: ``CareLogError`` `reference-missing`, `outcome-impossible`, `entity-invalid`; ``CarePlanError``
    ///   `schedule-invalid`.
    func check(_ new: [CausalOrder.Entry]) throws {
        var known = stored
        var tasks: [UUID: CareTask] = [:]
        for entry in new where entry.entity.kind == .task || entry.entity.kind == .healthKitTask {
            tasks[entry.entity.uuid] = try CareTask(entry.entity)
        }
        // A schedule that has an event has all earlier ones: the greatest index decides first.
        var greatest: [UUID: Int] = [:]
        for event in new.compactMap(\.entity.event) {
            greatest[event.task] = max(greatest[event.task] ?? 0, event.occurrence)
        }
        var possible: [UUID: Int] = [:]
        for entry in new {
            let entity = entry.entity
            for previous in entity.previous {
                guard let named = known[previous] else {
                    throw CareLogError.referenceMissing(previous.uuidString)
                }
                let isSame = named.kind == entity.kind && named.id == entity.id
                guard isSame || (entity.event != nil && named.event == entity.event) else {
                    throw CareLogError.linkInvalid(entity.uuid.uuidString)
                }
            }
            if let event = entity.event {
                guard let task = known[event.task] else {
                    throw CareLogError.referenceMissing(event.task.uuidString)
                }
                guard task.kind == .task, event.occurrence >= 0 else {
                    throw CareLogError.outcomeImpossible(entity.uuid.uuidString)
                }
                if event.occurrence > possible[event.task] ?? -1 {
                    if tasks[event.task] == nil { tasks[event.task] = try self.task(event.task) }
                    let index = [greatest[event.task] ?? 0, event.occurrence].first {
                        (try? tasks[event.task]?.hasEvent(occurrence: $0)) == true
                    }
                    guard let index, index >= event.occurrence else {
                        throw CareLogError.outcomeImpossible(entity.uuid.uuidString)
                    }
                    possible[event.task] = index
                }
            }
            known[entity.uuid] = Named(entity)
        }
    }

    private func task(_ uuid: UUID) throws -> CareTask? {
        guard let row = try transaction.first(Self.contentSQL, [SQLValue(push.patient), SQLValue(uuid.uuidString)])
        else { return nil }
        return try CareTask(CareStoredVersion.entity(.task, content: row.text("content")))
    }

    /// Number of identities in one query.
    private static let batch = 100
    /// Parameters: account, uuids.
    static let storedSQL =
        "SELECT uuid, kind, entity_id, task, occurrence FROM care_version WHERE account_id = ? AND uuid IN ("
        + repeatElement("?", count: batch).joined(separator: ", ") + ")"
    /// Parameters: account, uuid.
    static let contentSQL = "SELECT content FROM care_version WHERE account_id = ? AND uuid = ?"
}
