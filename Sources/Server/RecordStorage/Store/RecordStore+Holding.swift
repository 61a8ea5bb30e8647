import Foundation
import Storage

/// One stored version of a resource, with its original bytes where it was converted.
package struct HeldVersion: Sendable {
    package let record: StoredRecord
    /// The number of the resource's row, which orders the resources of a type.
    package let number: Int64
    /// Whether it is the current version of the resource.
    package let isCurrent: Bool
    package let original: OriginalContent?
}

extension RecordStore {
    /// Returns a page of all versions of a participant's resources of a type. The resources are in the order in which
    /// they were first stored.
    ///
    /// - Parameters:
    ///   - after: the number and the version of the last row of the previous page; nil for the first page.
    ///   - limit: the maximum number of versions.
    package func versions(
        about participant: String, ofType type: String, after: (number: Int64, version: Int64)?, limit: Int,
        in transaction: any SQLTransaction
    ) throws -> [HeldVersion] {
        let cursor = after ?? (number: 0, version: 0)
        return try transaction.query(
            """
            SELECT \(Self.columns), v.original, v.original_fhir_version, r.version AS present \(Self.joined)
            WHERE r.type = ? AND r.subject = ? AND r.number >= ? AND (v.number, v.version) > (?, ?)
            ORDER BY r.number, v.version LIMIT ?
            """,
            [
                SQLValue(type), SQLValue(participant), SQLValue(cursor.number), SQLValue(cursor.number),
                SQLValue(cursor.version), SQLValue(limit),
            ]
        ).map { row in
            let record = try Self.record(row, in: transaction)
            var original: OriginalContent?
            if let bytes = row.blobIfPresent("original"), let version = row.textIfPresent("original_fhir_version") {
                original = OriginalContent(
                    bytes: try ContentCodec.content(bytes, in: transaction), fhirVersion: version)
            }
            return HeldVersion(
                record: record, number: try row.integer("number"),
                isCurrent: try row.integer("present") == record.version, original: original)
        }
    }
}
