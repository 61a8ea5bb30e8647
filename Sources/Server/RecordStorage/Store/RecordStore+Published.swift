import Foundation
import Storage

extension RecordStore {
    /// One version of a resource that the study published.
    package struct PublishedVersion: Sendable {
        /// The number of the resource's row.
        package let number: Int64
        /// The version with its content.
        package let record: StoredRecord
    }

    /// Returns a page of all versions of a type's resources that the study published (``RecordPublishing``). The
    /// resources are in the order in which they were first stored, the versions of each in their order. Versions that
    /// another writer stored are not included.
    ///
    /// - Parameters:
    ///   - last: the last version of the previous page; nil for the first page.
    ///   - limit: the maximum number of versions.
    package func publishedVersions(
        ofType type: String, after last: PublishedVersion?, limit: Int, in transaction: any SQLTransaction
    ) throws -> [PublishedVersion] {
        let (number, version) = (last?.number ?? 0, last?.record.version ?? 0)
        return try transaction.query(
            Self.publishedSQL,
            [
                SQLValue(type), SQLValue(number), SQLValue(number), SQLValue(version),
                SQLValue(RecordPublishing.submissionID), SQLValue(limit),
            ]
        ).map { row in
            PublishedVersion(number: try row.integer("number"), record: try Self.record(row, in: transaction))
        }
    }

    /// Parameters: the type, the number from which, the number and the version after which, the submission, the limit.
    static let publishedSQL =
        versions + """
             WHERE r.type = ? AND r.number >= ? AND (v.number, v.version) > (?, ?) AND v.deleted = 0 AND s.submission_id = ?
            ORDER BY r.number, v.version LIMIT ?
            """
}
