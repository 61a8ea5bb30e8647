import Foundation
import Storage

/// A resource's current version, with its number among all resources.
package struct PresentRecord: Sendable {
    package let number: Int64
    /// The participant it is about; nil where there is none.
    package let subject: String?
    package let record: StoredRecord
}

extension RecordStore {
    /// Returns a page of the current versions of all resources, in the order of their numbers, without deleted
    /// resources.
    ///
    /// - Parameters:
    ///   - last: the last number of the previous page; 0 for the first page.
    ///   - limit: the maximum number of resources.
    package func present(
        after last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [PresentRecord] {
        try transaction.query(Self.presentSQL, [SQLValue(last), SQLValue(last), SQLValue(limit)]).map { row in
            PresentRecord(
                number: try row.integer("number"), subject: row.textIfPresent("subject"),
                record: try Self.record(row, in: transaction))
        }
    }

    /// Whether these are still the current versions of all resources with numbers after `first` and up to the last of
    /// them. The transaction would then read the same versions again.
    package func arePresent(
        _ records: some BidirectionalCollection<PresentRecord>, after first: Int64, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard let last = records.last else { return true }
        let found = try transaction.query(Self.presentVersionsSQL, [SQLValue(first), SQLValue(last.number)])
        guard found.count == records.count else { return false }
        return try zip(found, records).allSatisfy { row, record in
            try row.integer("number") == record.number && row.integer("version") == record.record.version
        }
    }

    /// Whether a participant has this resource and it is not deleted.
    package func isPresent(
        type: String, id: String, of subject: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM record r WHERE \(RecordKey.condition) AND r.subject = ? AND r.deleted = 0",
            [RecordKey.value(type: type, id: id), SQLValue(subject)]) != nil
    }

    /// Parameters: the number before the first, the last number.
    static let presentVersionsSQL =
        "SELECT number, version FROM record WHERE number > ? AND number <= ? AND deleted = 0 ORDER BY number"

    /// PostgreSQL does not derive the bound of one number from that of the other. Parameters: number, number, limit.
    static let presentSQL =
        versions
        + " AND v.version = r.version WHERE r.number > ? AND v.number > ? AND r.deleted = 0 ORDER BY r.number LIMIT ?"
}
