import Foundation
import Storage

/// A resource's present version, with its number among all resources.
public struct PresentRecord: Sendable {
    public let number: Int64
    /// The participant it is about; nil where there is none.
    public let subject: String?
    public let record: StoredRecord
}

extension RecordStore {
    /// The present versions of all resources in the order in which they came, page by page; without those that were
    /// deleted.
    ///
    /// - Parameters:
    ///   - last: the number that the page before ended with; 0 for the first page.
    ///   - limit: how many at most.
    public func present(
        behind last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [PresentRecord] {
        try transaction.query(Self.presentSQL, [SQLValue(last), SQLValue(limit)]).map { row in
            PresentRecord(
                number: try row.integer("number"), subject: row.textIfPresent("subject"),
                record: try Self.record(row, in: transaction))
        }
    }

    /// Whether a participant has this resource, and it was not deleted.
    public func isPresent(
        type: String, id: String, of subject: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM record WHERE type = ? AND id = ? AND subject = ? AND deleted = 0",
            [SQLValue(type), SQLValue(id), SQLValue(subject)]) != nil
    }

    /// Parameters: number, limit.
    static let presentSQL =
        versions + " AND v.version = r.version WHERE r.number > ? AND r.deleted = 0 ORDER BY r.number LIMIT ?"
}
