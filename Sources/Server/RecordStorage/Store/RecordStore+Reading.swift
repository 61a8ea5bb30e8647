import AccessPolicy
import FHIR
import Foundation
import Storage

extension RecordStore {
    /// Returns the current version; nil where there is none.
    public func read(type: String, id: String, in transaction: any SQLTransaction) throws -> StoredRecord? {
        try transaction.first(Self.currentSQL, [RecordKey.value(type: type, id: id)])
            .map { try Self.record($0, in: transaction) }
    }

    /// Returns one version; nil where there is none.
    package func read(
        type: String, id: String, version: Int64, in transaction: any SQLTransaction
    ) throws -> StoredRecord? {
        try transaction.first(
            Self.versionSQL, [RecordKey.value(type: type, id: id), SQLValue(version)]
        ).map { try Self.record($0, in: transaction) }
    }

    /// Returns the version that decides who sees another one: that version itself, or for a deletion the version that
    /// it deleted, since a deletion has no content.
    package func decisive(for version: StoredRecord, in transaction: any SQLTransaction) throws -> StoredRecord? {
        guard version.isDeleted else { return version }
        return try transaction.first(
            Self.deletedSQL,
            [RecordKey.value(type: version.type, id: version.id), SQLValue(version.version)]
        ).map { try Self.record($0, in: transaction) }
    }

    /// Returns a page of the versions: the current one first, then the others, the last received first.
    ///
    /// - Parameters:
    ///   - before: the last version of the previous page; nil for the first page.
    ///   - limit: the maximum number of versions.
    package func history(
        type: String, id: String, before: Int64?, limit: Int, in transaction: any SQLTransaction
    ) throws -> [StoredRecord] {
        guard let present = try read(type: type, id: id, in: transaction) else { return [] }
        var previous: StoredRecord?
        if let before, before != present.version {
            previous = try read(type: type, id: id, version: before, in: transaction)
            guard previous != nil else { return [] }
        }
        let bound: [SQLValue] = [
            SQLValue(previous?.provenance.order.receivedMilliseconds ?? .max),
            SQLValue(previous?.provenance.number ?? .max), SQLValue(previous?.version ?? .max),
        ]
        var others = try transaction.query(
            Self.historySQL, [RecordKey.value(type: type, id: id)] + bound + [SQLValue(limit)]
        ).map { try Self.record($0, in: transaction) }
        // The first version is not in the index, so it is inserted by its order.
        if present.version != 1, let first = try read(type: type, id: id, version: 1, in: transaction),
            previous.map({ first.came(before: $0) }) ?? true
        {
            others.insert(first, at: others.firstIndex { $0.came(before: first) } ?? others.count)
        }
        return Array(((before == nil ? [present] : []) + others).prefix(limit))
    }

    /// Returns the facts that decide who sees a record, from its latest version with content, and the participant for
    /// the audit; nil where there is no such record.
    ///
    /// - Parameter queries: the grant's queries for the type. A deleted record meets none.
    package func facts(
        ofType type: String, id: String, asking queries: Set<ScopeQuery>, in transaction: any SQLTransaction
    ) throws -> (facts: RecordFacts, subject: String?)? {
        guard let row = try transaction.first(Self.subjectSQL, [RecordKey.value(type: type, id: id)]) else {
            return nil
        }
        let subject = row.textIfPresent("subject")
        var matched: Set<ScopeQuery> = []
        if !queries.isEmpty, let record = try read(type: type, id: id, in: transaction), !record.isDeleted {
            matched = try record.resource().met(of: queries)
        }
        return (
            try RecordProtection.facts(
                number: try row.integer("number"), type: type, subject: subject, matching: matched, in: transaction),
            subject
        )
    }

    /// Parameter: the address, as in the statements that follow.
    static let subjectSQL = "SELECT r.number, r.subject FROM record r WHERE \(RecordKey.condition)"
    static let currentSQL = versions + " AND v.version = r.version WHERE \(RecordKey.condition)"
    package static let versionSQL = versions + " WHERE \(RecordKey.condition) AND v.version = ?"
    /// The last content before a version. Parameters: the address, the version.
    static let deletedSQL =
        versions + """
             WHERE \(RecordKey.condition) AND v.version < ? AND v.deleted = 0 ORDER BY v.version DESC LIMIT 1
            """
    /// The versions except the current and the first one, which the index of the order excludes. Parameters: the
    /// address, the order of the previous version, the limit.
    static let historySQL =
        versions + """
             WHERE \(RecordKey.condition) AND v.version > 1 AND v.version <> r.version
                AND (v.received_ms, v.received_number, v.version) < (?, ?, ?)
            ORDER BY v.received_ms DESC, v.received_number DESC, v.version DESC LIMIT ?
            """
    package static let versionCountSQL = """
        SELECT count(*) AS total FROM record r JOIN record_version v ON v.number = r.number
        WHERE \(RecordKey.condition)
        """

    /// The columns that are read of a version.
    package static let columns = """
        r.number, r.subject, r.type, r.id, v.version, v.content, v.deleted, s.stored_at AS last_updated, s.submission_id,
            s.client_id, s.key_id, s.signer, s.signed_sequence, s.received_at, s.received_number
        """
    /// Records with their versions and the sources of these.
    package static let joined = """
        FROM record r JOIN record_version v ON v.number = r.number JOIN record_source s ON s.number = v.source
        """
    /// Records with their versions; another condition of the join may follow.
    package static let versions = "SELECT \(columns) \(joined)"

    /// Reads a version from a row.
    ///
    /// - Throws: ``StorageError``; `storage-corrupt` where the content is damaged.
    package static func record(_ row: SQLRow, in transaction: any SQLTransaction) throws -> StoredRecord {
        let receipt = try RecordReceipt(row)
        return StoredRecord(
            type: try row.text("type"), id: try row.text("id"), version: try row.integer("version"),
            lastUpdated: receipt.at, isDeleted: try row.integer("deleted") != 0,
            content: try ContentCodec.content(try row.blob("content"), in: transaction),
            provenance: receipt.provenance)
    }
}

extension StoredRecord {
    /// Whether it was received before another version of the same resource.
    fileprivate func came(before other: StoredRecord) -> Bool {
        let own = (provenance.receivedAt, provenance.number, version)
        return own < (other.provenance.receivedAt, other.provenance.number, other.version)
    }
}
