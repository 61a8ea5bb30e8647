import Core
import Foundation
import Storage

/// A row of `record_former`: a version that is not the current one, with the time during which it was.
struct FormerVersion: Sendable, Hashable {
    let version: Int64
    /// The time of storage.
    let stored: Int64
    /// The time at which the next version became the current one. It equals ``stored`` where the version never was the
    /// current one, because it was received before the current version.
    let until: Int64

    /// Inserts the row.
    func insert(number: Int64, type: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO record_former (number, version, type, updated_ms, until_ms) VALUES (?, ?, ?, ?, ?)",
            [SQLValue(number), SQLValue(version), SQLValue(type), SQLValue(stored), SQLValue(until)])
    }

    /// Records that another version replaces the current version of a record, before the record's row changes.
    static func insertReplaced(number: Int64, at: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO record_former (number, version, type, updated_ms, until_ms)
            SELECT number, version, type, updated_ms, ? FROM record WHERE number = ?
            """, [SQLValue(Milliseconds.of(at)), SQLValue(number)])
    }
}
