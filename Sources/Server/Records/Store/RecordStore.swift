import FHIR
import Foundation
import Storage

/// Stores and reads resources inside the transaction of its caller.
public struct RecordStore: Sendable {
    public init() {}

    /// Stores a resource as a new version, unless the current one has the same bytes.
    ///
    /// The order of receipt decides which version is the present (``RecordProvenance/order``): what came before the
    /// present is stored as history, and the resource is read and found as it was. Where the present comes once more, it
    /// is as new as the last of its receipts, for something else may have come between the two and be handled last.
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
        let new = NewVersion(
            type: type, id: id, content: content, original: original, digest: NewRecord.digest(of: content),
            provenance: provenance, at: at)
        func versionID(_ version: Int64) -> String { "\(type)/\(id)/_history/\(version)" }
        guard let present = try transaction.first(Self.presentSQL, [SQLValue(type), SQLValue(id)]) else {
            let number = try nextNumber(in: transaction)
            try transaction.execute(
                """
                INSERT INTO record (number, type, id, version, subject, updated_ms, received_ms, received_number)
                VALUES (?, ?, ?, 1, ?, ?, ?, ?)
                """,
                [
                    SQLValue(number), SQLValue(type), SQLValue(id), SQLValue(SearchIndex.subject(of: resource, id: id)),
                    SQLValue(Milliseconds.of(at)),
                ] + provenance.order.columns)
            try insert(new, number: number, version: 1, in: transaction)
            try index(resource, type: type, number: number, in: transaction)
            return .created(versionID: versionID(1))
        }
        let number = try present.integer("number")
        let order = try RecordOrder(present)
        if try present.text("digest") == new.digest, try present.integer("deleted") == 0 {
            let same = versionID(try present.integer("version"))
            guard provenance.order >= order else { return .superseded(versionID: same) }
            if provenance.order > order {
                try transaction.execute(
                    "UPDATE record SET received_ms = ?, received_number = ? WHERE number = ?",
                    provenance.order.columns + [SQLValue(number)])
            }
            return .unchanged(versionID: same)
        }
        guard provenance.order >= order else {
            return .superseded(versionID: versionID(try putHistory(new, number: number, in: transaction)))
        }
        let version = try nextVersion(of: number, in: transaction)
        try transaction.execute(
            """
            UPDATE record SET version = ?, subject = ?, updated_ms = ?, deleted = 0, received_ms = ?, received_number = ?
            WHERE number = ?
            """,
            [SQLValue(version), SQLValue(SearchIndex.subject(of: resource, id: id)), SQLValue(Milliseconds.of(at))]
                + provenance.order.columns + [SQLValue(number)])
        try transaction.execute("DELETE FROM record_token WHERE number = ?", [SQLValue(number)])
        try transaction.execute("DELETE FROM record_date WHERE number = ?", [SQLValue(number)])
        try insert(new, number: number, version: version, in: transaction)
        try index(resource, type: type, number: number, in: transaction)
        return .updated(versionID: versionID(version))
    }

    /// The participant that a stored resource is about; nil where there is no such resource.
    public func subject(ofType type: String, id: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT subject FROM record WHERE type = ? AND id = ?", [SQLValue(type), SQLValue(id)])
            .flatMap { $0.textIfPresent("subject") }
    }

    /// What a row of `record_version` is made of.
    private struct NewVersion {
        let type: String
        let id: String
        let content: Data
        let original: OriginalContent?
        let digest: String
        let provenance: RecordProvenance
        let at: Date
    }

    /// Stores what came before the present, once for each submission that brings it.
    private func putHistory(_ new: NewVersion, number: Int64, in transaction: any SQLTransaction) throws -> Int64 {
        let known = try transaction.first(
            Self.broughtSQL, [SQLValue(number), SQLValue(new.provenance.submissionID), SQLValue(new.digest)])
        if let known { return try known.integer("version") }
        let version = try nextVersion(of: number, in: transaction)
        try insert(new, number: number, version: version, in: transaction)
        return version
    }

    private func insert(
        _ new: NewVersion, number: Int64, version: Int64, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO record_version (number, type, id, version, content, original, original_fhir_version, digest,
                last_updated, submission_id, client_id, key_id, received_at, received_number)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(new.type), SQLValue(new.id), SQLValue(version), SQLValue(new.content),
                SQLValue(new.original?.bytes), SQLValue(new.original?.fhirVersion), SQLValue(new.digest),
                SQLValue(new.at), SQLValue(new.provenance.submissionID), SQLValue(new.provenance.clientID),
                SQLValue(new.provenance.keyID), SQLValue(new.provenance.receivedAt), SQLValue(new.provenance.number),
            ])
    }

    /// Parameters: type, id.
    static let presentSQL = """
        SELECT r.number, r.version, r.deleted, r.received_ms, r.received_number, v.digest FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        WHERE r.type = ? AND r.id = ?
        """
    /// The version of a record that a submission brought with certain bytes. A submission may be a load of millions of
    /// records, so the versions of the record are gone through. Parameters: number, submission, digest.
    static let broughtSQL = """
        SELECT version FROM record_version WHERE number = ? AND version > 0 AND submission_id = ? AND digest = ?
        ORDER BY version LIMIT 1
        """

    private func nextVersion(of number: Int64, in transaction: any SQLTransaction) throws -> Int64 {
        let row = try transaction.first(
            "SELECT max(version) AS version FROM record_version WHERE number = ?", [SQLValue(number)])
        return (row?.integerIfPresent("version") ?? 0) + 1
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
