import FHIR
import Foundation
import Storage

/// Stores and reads resources inside the transaction of its caller.
public struct RecordStore: Sendable {
    public init() {}

    /// Stores a resource as a new version, unless the current one has the same bytes.
    ///
    /// - Parameters:
    ///   - content: the R4 bytes as they came; `id` and `meta` are put in on reading.
    ///   - original: the bytes as they came where they were converted.
    @discardableResult
    public func put(
        _ resource: Resource, content: Data, original: OriginalContent?, id: String, provenance: RecordProvenance,
        at: Date, in transaction: any SQLTransaction
    ) throws -> PutResult {
        let type = resource.resourceType
        let digest = NewRecord.digest(of: content)
        let current = try transaction.first(Self.digestSQL, [SQLValue(type), SQLValue(id)])
        if let current, try current.text("digest") == digest, try current.integer("deleted") == 0 {
            return .unchanged(versionID: "\(type)/\(id)/_history/\(try current.integer("version"))")
        }
        let version = try current.map { try $0.integer("version") + 1 } ?? 1
        let subject = SearchIndex.subject(of: resource, id: id)
        let number: Int64
        if let current {
            number = try current.integer("number")
            try transaction.execute(
                "UPDATE record SET version = ?, subject = ?, updated_ms = ?, deleted = 0 WHERE number = ?",
                [SQLValue(version), SQLValue(subject), SQLValue(Milliseconds.of(at)), SQLValue(number)])
            try transaction.execute("DELETE FROM record_token WHERE number = ?", [SQLValue(number)])
            try transaction.execute("DELETE FROM record_date WHERE number = ?", [SQLValue(number)])
        } else {
            number = try nextNumber(in: transaction)
            try transaction.execute(
                "INSERT INTO record (number, type, id, version, subject, updated_ms) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    SQLValue(number), SQLValue(type), SQLValue(id), SQLValue(version), SQLValue(subject),
                    SQLValue(Milliseconds.of(at)),
                ])
        }
        try transaction.execute(
            """
            INSERT INTO record_version (number, type, id, version, content, original, original_fhir_version, digest,
                last_updated, submission_id, client_id, key_id, received_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(type), SQLValue(id), SQLValue(version), SQLValue(content),
                SQLValue(original?.bytes), SQLValue(original?.fhirVersion), SQLValue(digest), SQLValue(at),
                SQLValue(provenance.submissionID), SQLValue(provenance.clientID), SQLValue(provenance.keyID),
                SQLValue(provenance.receivedAt),
            ])
        try index(resource, type: type, number: number, in: transaction)
        let versionID = "\(type)/\(id)/_history/\(version)"
        return current == nil ? .created(versionID: versionID) : .updated(versionID: versionID)
    }

    /// The participant that a stored resource is about; nil where there is no such resource.
    public func subject(ofType type: String, id: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT subject FROM record WHERE type = ? AND id = ?", [SQLValue(type), SQLValue(id)])
            .flatMap { $0.textIfPresent("subject") }
    }

    /// The current version; nil where there is none.
    public func read(type: String, id: String, in transaction: any SQLTransaction) throws -> StoredRecord? {
        try transaction.first(Self.currentSQL, [SQLValue(type), SQLValue(id)]).map(Self.record)
    }

    /// One version; nil where there is none.
    public func read(
        type: String, id: String, version: Int64, in transaction: any SQLTransaction
    ) throws -> StoredRecord? {
        try transaction.first(
            Self.versionSQL, [SQLValue(type), SQLValue(id), SQLValue(version)]
        ).map(Self.record)
    }

    /// The versions, the newest first, those before a version where one is given.
    public func history(
        type: String, id: String, before: Int64?, limit: Int, in transaction: any SQLTransaction
    ) throws -> [StoredRecord] {
        try transaction.query(
            Self.historySQL, [SQLValue(type), SQLValue(id), SQLValue(before ?? .max), SQLValue(limit)]
        ).map(Self.record)
    }

    static let digestSQL = """
        SELECT r.number, r.version, r.deleted, v.digest FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        WHERE r.type = ? AND r.id = ?
        """
    static let currentSQL = versions + " AND v.version = r.version WHERE r.type = ? AND r.id = ?"
    static let versionSQL = versions + " WHERE r.type = ? AND r.id = ? AND v.version = ?"
    static let historySQL =
        versions + " WHERE r.type = ? AND r.id = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?"
    static let versionCountSQL = """
        SELECT count(*) AS total FROM record r JOIN record_version v ON v.number = r.number
        WHERE r.type = ? AND r.id = ?
        """

    /// Records with their versions; another condition of the join may follow.
    static let versions = """
        SELECT v.type, v.id, v.version, v.content, v.last_updated, v.deleted, v.submission_id, v.client_id, v.key_id,
            v.received_at FROM record r JOIN record_version v ON v.number = r.number
        """

    static func record(_ row: SQLRow) throws -> StoredRecord {
        StoredRecord(
            type: try row.text("type"), id: try row.text("id"), version: try row.integer("version"),
            lastUpdated: try row.date("last_updated"), isDeleted: try row.integer("deleted") != 0,
            content: try row.blob("content"),
            provenance: RecordProvenance(
                submissionID: try row.text("submission_id"), clientID: try row.text("client_id"),
                keyID: row.textIfPresent("key_id"), receivedAt: try row.date("received_at")))
    }

    private func nextNumber(in transaction: any SQLTransaction) throws -> Int64 {
        let row = try transaction.first("SELECT max(number) AS number FROM record")
        return (row?.integerIfPresent("number") ?? 0) + 1
    }

    private func index(
        _ resource: Resource, type: String, number: Int64, in transaction: any SQLTransaction
    ) throws {
        for token in SearchIndex.tokens(of: resource) {
            try transaction.execute(
                "INSERT INTO record_token (number, type, parameter, system, code) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(number), SQLValue(type), SQLValue(token.parameter), SQLValue(token.system),
                    SQLValue(token.code),
                ])
        }
        if let range = SearchIndex.date(of: resource) {
            try transaction.execute(
                "INSERT INTO record_date (number, type, low_ms, high_ms) VALUES (?, ?, ?, ?)",
                [SQLValue(number), SQLValue(type), SQLValue(range.low), SQLValue(range.high)])
        }
    }
}

/// Instants as whole milliseconds since 1970, as the search tables hold them.
enum Milliseconds {
    static func of(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return value.isFinite ? Int64(max(-9e15, min(9e15, value))) : 0
    }
}
