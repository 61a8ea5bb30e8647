import Foundation
import Storage

/// The SQL of a page of an export, in the order of the records' numbers.
enum ExportStatement {
    /// Where a page begins: behind a number, and of certain patients at one of them.
    struct Place: Sendable, Hashable {
        var patient = 0
        /// Whether it is among what the patient has with others.
        var isShared = false
        var number: Int64 = 0
    }

    private static let columns = "r.number, r.id, r.subject, v.version, v.content, s.stored_at"

    /// A row of the columns, read by their places.
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
                    code: "storage-column", message: "A record's row does not have what it should; restore a backup.")
            }
            (self.number, self.id, self.version, self.content, self.stored) = (number, id, version, content, stored)
            subject = if case .text(let subject) = row[2] { subject } else { nil }
        }
    }

    /// PostgreSQL does not conclude from one number where the other begins. Parameters: those of the condition; the number
    /// behind which, twice; the last number.
    static func all(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.number > ? AND v.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// What is a patient's alone. Parameters: those of the condition; patient, number, last number.
    static func own(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.subject = ? AND r.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// What a patient has with others. Parameters: as of ``own(_:)``.
    static func shared(_ condition: String) -> String {
        "SELECT \(columns) \(RecordStore.joined) AND v.version = r.version WHERE \(condition)"
            + " AND r.subject IS NULL AND r.number IN (SELECT p.number FROM record_protection p"
            + " WHERE p.kind = 'owner' AND p.value = ?) AND r.number > ? AND r.number <= ? ORDER BY r.number"
    }

    /// What was deleted, in the order in which it was. Parameters: those of the condition; the time and number behind
    /// which, and the last time.
    static func deleted(_ condition: String) -> String {
        "SELECT r.number, r.id, r.subject, r.updated_ms FROM record r WHERE \(condition)"
            + " AND (r.updated_ms, r.number) > (?, ?) AND r.updated_ms <= ? ORDER BY r.updated_ms, r.number LIMIT ?"
    }

    /// How many bytes the contents of the next rows take, in front of a page on an engine that hands over many rows at a
    /// time. It has the place of the columns in the others.
    static func sizes(_ sql: String) -> String {
        sql.replacingOccurrences(of: columns, with: "r.number, length(v.content) AS size") + " LIMIT ?"
    }
}
