import Core
import Crypto
import Foundation
import Storage

/// A seal of consecutive rows of the audit.
///
/// Its head is a hash of the head before, of its own values, and of its rows with the pseudonyms that they showed. So a
/// head covers all rows from the first one on.
package struct AuditSeal: Sendable, Hashable {
    /// The content of a seal.
    package enum Kind: String, Sendable, CaseIterable {
        /// New rows.
        case rows
        /// The restoration of a backup. It has no rows; the sealed rows of the backup are before it.
        case restored
    }

    /// 1 for the first seal, then without gaps.
    package let number: Int64
    package let kind: Kind
    /// Number of the first row; the number after the last sealed row if there are none.
    package let firstRow: Int64
    /// Number of the last row; `firstRow - 1` if there are none.
    package let lastRow: Int64
    /// Number of rows. An engine may skip numbers.
    package let amount: Int64
    /// Time of the seal in the form of ``Storage/SQLTimestamp``; never before that of the seal before.
    package let at: String
    /// Head of the seal before, in lowercase hexadecimal.
    package let previous: String
    /// SHA-256 in lowercase hexadecimal.
    package let head: String

    /// Head before the first seal.
    package static let origin = String(repeating: "0", count: 64)

    /// Seals rows.
    ///
    /// - Parameters:
    ///   - last: the seal before; nil for the first.
    ///   - time: the present time. It is replaced by that of the seal before if it is earlier.
    init(_ kind: Kind, of rows: [SealedRow], after last: AuditSeal?, at time: Date) {
        number = (last?.number ?? 0) + 1
        self.kind = kind
        firstRow = (last?.lastRow ?? 0) + 1
        lastRow = rows.last?.number ?? (last?.lastRow ?? 0)
        amount = Int64(rows.count)
        at = max(SQLTimestamp.text(time), last?.at ?? "")
        previous = last?.head ?? Self.origin
        head = Self.head(
            number: number, kind: kind.rawValue, firstRow: firstRow, lastRow: lastRow, amount: amount, at: at,
            previous: previous, rows: rows)
    }

    /// Reads a stored seal.
    ///
    /// - Throws: ``Storage/StorageError`` `storage-column` for values that no seal has.
    init(_ row: SQLRow) throws {
        number = try row.integer("number")
        guard let kind = Kind(rawValue: try row.text("kind")) else { throw StorageError.ofSeal }
        self.kind = kind
        firstRow = try row.integer("first_row")
        lastRow = try row.integer("last_row")
        amount = try row.integer("amount")
        at = try row.text("at")
        previous = try row.text("previous")
        head = try row.text("head")
    }

    /// Whether the stored head is that of the seal's own values and of these rows.
    func covers(_ rows: [SealedRow]) -> Bool {
        amount == Int64(rows.count)
            && head
                == Self.head(
                    number: number, kind: kind.rawValue, firstRow: firstRow, lastRow: lastRow, amount: amount, at: at,
                    previous: previous, rows: rows)
    }

    private static func head(
        number: Int64, kind: String, firstRow: Int64, lastRow: Int64, amount: Int64, at: String, previous: String,
        rows: [SealedRow]
    ) -> String {
        var encoding = CanonicalEncoding("tributary audit seal 1")
        encoding.append(number)
        encoding.append(.text(kind))
        for value in [firstRow, lastRow, amount] { encoding.append(value) }
        encoding.append(.text(at))
        encoding.append(.text(previous))
        var hash = SHA256()
        hash.update(data: encoding.bytes)
        for row in rows { hash.update(data: row.encoding) }
        return Hexadecimal.text(hash.finalize())
    }

    /// Inserts the seal.
    func insert(in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO audit_seal (number, kind, first_row, last_row, amount, at, previous, head)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(kind.rawValue), SQLValue(firstRow), SQLValue(lastRow), SQLValue(amount),
                SQLValue(at), SQLValue(previous), SQLValue(head),
            ])
    }

    /// Returns the newest seal; nil if there is none.
    package static func last(in transaction: any SQLTransaction) throws -> AuditSeal? {
        try transaction.first("SELECT * FROM audit_seal ORDER BY number DESC LIMIT 1").map { try AuditSeal($0) }
    }
}

extension StorageError {
    static let ofSeal = StorageError(
        code: "storage-column", message: "The column \"kind\" of a seal of the audit has an unknown value.")
}
