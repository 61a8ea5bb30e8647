import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// The SQL of an export's page, ordered by record number.
package enum ExportStatement {
    /// The cursor of a page: after a number, and for selected patients at the index of one of them.
    package struct Cursor: Sendable, Hashable {
        var patient = 0
        /// Whether it is in the resources that the patient shares with others.
        var isShared = false
        var number: Int64 = 0
    }

    private static let columns = "r.number, r.id, r.subject, v.version, v.content, s.stored_at"

    /// A row of the columns, read by index.
    struct Row {
        let number: Int64
        let id: String
        let subject: String?
        let version: Int64
        let content: Data
        let stored: String

        init(_ row: SQLRow) throws(StorageError) {
            guard case (.integer(let number), .text(let id)) = (row[0], row[1]),
                case (.integer(let version), .blob(let content), .text(let stored)) = (row[3], row[4], row[5])
            else {
                throw StorageError(
                    code: "storage-column", message: "A record's row has unexpected columns; restore a backup.")
            }
            (self.number, self.id, self.version, self.content, self.stored) = (number, id, version, content, stored)
            subject = if case .text(let subject) = row[2] { subject } else { nil }
        }
    }

    /// All resources. PostgreSQL does not derive the bound of one number from that of the other. Parameters: those of
    /// the condition; the number before the page, twice; the last number.
    static func all(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.number > ? AND v.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// The resources of one patient only. Parameters: those of the condition; patient, number, last number.
    static func own(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.subject = ? AND r.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// The resources that a patient shares with others. Parameters: those of ``own(_:)``.
    static func shared(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.subject IS NULL AND r.number IN (SELECT p.number FROM record_protection p"
            + " WHERE p.kind = 'owner' AND p.value = ?) AND r.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// The deleted resources, ordered by the time of deletion. Parameters: those of the condition; the time and the
    /// number before the page, the last time, the limit.
    static func deleted(_ condition: String) -> String {
        "SELECT r.number, r.id, r.subject, r.updated_ms FROM record r WHERE \(condition)"
            + " AND (r.updated_ms, r.number) > (?, ?) AND r.updated_ms <= ? ORDER BY r.updated_ms, r.number LIMIT ?"
    }

    /// Returns the statement of the content sizes of the next rows, run before a page where the engine returns many
    /// rows at a time. The sizes replace the columns of the other statements.
    static func sizes(_ sql: String) -> String {
        sql.replacingOccurrences(of: columns, with: "r.number, length(v.content) AS size") + " LIMIT ?"
    }
}
