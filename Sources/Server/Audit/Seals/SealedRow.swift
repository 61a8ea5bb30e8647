import Core
import Foundation
import Storage

/// A row of the audit as a seal covers it: its columns, the digest of its id, and the pseudonyms that it showed.
struct SealedRow: Sendable {
    let number: Int64
    /// The bytes that the seal hashes.
    let encoding: [UInt8]
    /// Whether the id and its salt are those of the digest, or both are removed.
    let isIDValid: Bool
    /// Pseudonym of the participant whose deletion removed the id; nil if the id is not removed. An id without a
    /// participant is never removed.
    let removed: Removed?

    /// A removed id.
    enum Removed: Sendable, Hashable {
        case about(pseudonym: String)
        case aboutNoOne
    }

    /// - Parameter shown: the pseudonyms in `audit_participant`.
    init(_ row: SQLRow, shown: [String]) throws {
        number = try row.integer("number")
        var encoding = CanonicalEncoding()
        for column in Self.columns { encoding.append(row[column]) }
        encoding.append(Int64(shown.count))
        // The engines' orders of texts may differ.
        for pseudonym in shown.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            encoding.append(.text(pseudonym))
        }
        self.encoding = encoding.bytes
        switch (row["resource_id"], row["id_salt"], row["id_digest"]) {
        case (.null, .null, .null):
            isIDValid = true
            removed = nil
        case (.null, .null, .blob):
            isIDValid = true
            removed = row.textIfPresent("subject").map { .about(pseudonym: $0) } ?? .aboutNoOne
        case (.text(let id), .blob(let salt), .blob(let digest)):
            isIDValid = RemovableID.digest(of: id, salt: salt) == digest
            removed = nil
        default:
            isIDValid = false
            removed = nil
        }
    }

    /// The columns that a seal covers, in the order of its bytes. All others are covered by `id_digest`.
    static let columns = [
        "number", "at", "actor_id", "client", "role", "action", "resource_type", "id_digest", "subject", "allowed",
        "reason", "amount",
    ]

    /// Parameters: last number before them, maximum number of rows.
    static let nextSQL = "SELECT * FROM audit WHERE number > ? ORDER BY number LIMIT ?"
    /// Parameters: first and last number, maximum number of rows.
    static let rangeSQL = "SELECT * FROM audit WHERE number >= ? AND number <= ? ORDER BY number LIMIT ?"
    /// Parameters: first and last number.
    static let shownSQL =
        "SELECT number, pseudonym FROM audit_participant WHERE number >= ? AND number <= ? ORDER BY number"

    /// Returns the next rows after a number.
    ///
    /// - Parameters:
    ///   - limit: maximum number of rows.
    ///   - shownLimit: number of pseudonyms after which no further row is read; one row may have more.
    static func next(
        after last: Int64, limit: Int, shownLimit: Int, in transaction: any SQLTransaction
    ) throws -> [SealedRow] {
        var rows = try transaction.query(nextSQL, [SQLValue(last), SQLValue(limit)])
        guard let first = try rows.first?.integer("number"), let end = try rows.last?.integer("number") else {
            return []
        }
        var shown: [Int64: [String]] = [:]
        var (count, current) = (0, first)
        var cut: Int64?
        _ = try transaction.query(shownSQL, [SQLValue(first), SQLValue(end)]) { row in
            let number = try row.integer("number")
            guard count < shownLimit || number == current else {
                cut = number
                return false
            }
            shown[number, default: []].append(try row.text("pseudonym"))
            (count, current) = (count + 1, number)
            return true
        }
        if let cut { rows = try rows.filter { try $0.integer("number") < cut } }
        return try rows.map { try SealedRow($0, shown: shown[try $0.integer("number")] ?? []) }
    }

    /// Returns the rows of a seal.
    ///
    /// - Returns: nil if there are more than `limit` rows, or if `audit_participant` has pseudonyms of rows that do not
    ///   exist.
    static func rows(
        from first: Int64, to last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [SealedRow]? {
        let found = try transaction.query(rangeSQL, [SQLValue(first), SQLValue(last), SQLValue(limit + 1)])
        guard found.count <= limit else { return nil }
        var shown: [Int64: [String]] = [:]
        for row in try transaction.query(shownSQL, [SQLValue(first), SQLValue(last)]) {
            shown[try row.integer("number"), default: []].append(try row.text("pseudonym"))
        }
        let rows = try found.map { row in
            try SealedRow(row, shown: shown.removeValue(forKey: try row.integer("number")) ?? [])
        }
        return shown.isEmpty ? rows : nil
    }
}
