import CarePlans
import Core
import Foundation
import Storage

/// Builds one page of the answer to a pull.
struct CarePage {
    let reading: CareReading
    let cursor: CareCursor
    var revisions: [CareRevision] = []
    private var bytes = 0

    init(reading: CareReading, cursor: CareCursor) {
        self.reading = reading
        self.cursor = cursor
    }

    /// Fills the page.
    ///
    /// - Returns: the position of the next page; nil on the last page.
    mutating func build() throws -> CareCursor? {
        let (versions, examined) = try reading.newVersions(
            after: cursor.number, upTo: cursor.push, limit: CareLimits.versionsPerPage)
        var last = cursor.number
        for version in versions {
            if bytes >= CareLimits.bytesPerPage { return CareCursor(push: cursor.push, number: last) }
            if reading.caller == .careKit, let event = version.event {
                try addWinner(of: event, at: version)
            } else {
                try add(version)
            }
            last = version.number
        }
        return examined.map { CareCursor(push: cursor.push, number: $0) }
    }

    /// Adds a version with the predecessors that it has, or with others.
    private mutating func add(_ version: CareStoredVersion, previous: [UUID]? = nil) throws {
        var entity = try content(of: version)
        bytes += entity.object.byteCount(upTo: .max) ?? 0
        if let previous {
            var object = entity.object
            object["previousVersionUUIDs"] = .array(previous.map { .string($0.uuidString) })
            let changed = try CareEntity(kind: version.kind, object: object)
            entity = changed
        }
        if let last = revisions.indices.last, revisions[last].knowledgeVector == version.vector {
            revisions[last].entities.append(entity)
        } else {
            revisions.append(CareRevision([entity], knowledgeVector: version.vector))
        }
    }

    private func content(of version: CareStoredVersion) throws -> CareEntity {
        guard let row = try reading.transaction.first(Self.contentSQL, [SQLValue(version.number)]) else {
            throw StorageError(code: "storage-column", message: "A version of the log is missing.")
        }
        return try CareStoredVersion.entity(version.kind, content: row.text("content"))
    }

    /// Adds the one version of an event that CareKit's store gets, at the position of the first new version of the event.
    private mutating func addWinner(of event: CareEvent.Key, at position: CareStoredVersion) throws {
        let versions = try reading.transaction.query(
            Self.eventSQL,
            [
                SQLValue(reading.patient), SQLValue(event.task.uuidString), SQLValue(event.occurrence),
                SQLValue(cursor.push),
            ]
        ).map { try CareStoredVersion($0) }
        // 1. Only the first new version of the event makes an entry.
        let first = versions.filter { !$0.vector.isCovered(by: reading.knowledge) }.map(\.number).min()
        guard first == position.number else { return }
        // 2. The versions that the caller has, and those that it shows.
        let had = versions.filter { $0.arrivalVector.isCovered(by: reading.knowledge) }
        let followed = Set(had.flatMap(\.previous))
        let shown = had.filter { !$0.isTombstone && !followed.contains($0.uuid) }
        // 3. The winner; if all are deleted, the newest deletion that the caller lacks.
        let tips = versions.filter { ($0.followedBy ?? .max) > cursor.push }
        let live = tips.filter { !$0.isTombstone }
        //    A version that arrived late counts as lacking until the caller covers the clock of the server in its vector: the
        //    caller may cover the vector with which it arrived without having it.
        let lacking = tips.filter { !$0.vector.isCovered(by: reading.knowledge) }
        let candidates = !live.isEmpty ? live : lacking.isEmpty ? tips : lacking
        guard let winner = try best(candidates) else { return }
        let others = shown.map(\.uuid).filter { $0 != winner.uuid }
        if !others.isEmpty || (!live.isEmpty && lacking.contains { $0.number == winner.number }) {
            try add(winner, previous: others.sorted { $0.uuidString < $1.uuidString })
        }
    }

    private func best(_ versions: [CareStoredVersion]) throws -> CareStoredVersion? {
        guard versions.count > 1 else { return versions.first }
        let winner = ConflictResolution.winner(of: try versions.map { try content(of: $0) })
        return versions.first { $0.uuid == winner?.uuid }
    }

    /// Parameter: number.
    static let contentSQL = "SELECT content FROM care_version WHERE number = ?"
    /// Versions of an event. Parameters: account, task, occurrence, push.
    static let eventSQL = """
        SELECT \(CareStoredVersion.columns) FROM care_version v \(CareStoredVersion.joins)
        WHERE v.account_id = ? AND v.task = ? AND v.occurrence = ? AND v.push <= ? ORDER BY v.number
        """
}
