import Foundation
import Storage

/// The rows of `record_source`: the origin of versions and the time of their storage. All versions of one submission in
/// one transaction share a row.
struct RecordSources {
    private let transaction: any SQLTransaction
    private var known: [RecordReceipt: Int64] = [:]

    init(in transaction: any SQLTransaction) { self.transaction = transaction }

    /// Returns the number of the receipt's row. Inserts the row where there is none.
    mutating func number(of receipt: RecordReceipt) throws -> Int64 {
        if let number = known[receipt] { return number }
        let number = try find(receipt) ?? insert(receipt)
        known[receipt] = number
        return number
    }

    private func find(_ receipt: RecordReceipt) throws -> Int64? {
        let rows = try transaction.query(
            Self.findSQL, [SQLValue(receipt.provenance.submissionID), SQLValue(receipt.at)])
        // Two devices may use the same submission id.
        return try rows.first { try RecordReceipt($0).provenance == receipt.provenance }?.integer("number")
    }

    /// Parameters: the submission, the time of storage.
    static let findSQL = """
        SELECT number, stored_at AS last_updated, submission_id, client_id, key_id, signer, signed_sequence, received_at,
            received_number FROM record_source WHERE submission_id = ? AND stored_at = ?
        """

    private func insert(_ receipt: RecordReceipt) throws -> Int64 {
        let largest = try transaction.first("SELECT max(number) AS number FROM record_source")
        let number = (largest?.integerIfPresent("number") ?? 0) + 1
        let provenance = receipt.provenance
        try transaction.execute(
            """
            INSERT INTO record_source (number, submission_id, client_id, key_id, signer, signed_sequence, received_at,
                received_number, stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(provenance.submissionID), SQLValue(provenance.clientID),
                SQLValue(provenance.keyID), SQLValue(provenance.signed?.signer), SQLValue(provenance.signed?.sequence),
                SQLValue(provenance.receivedAt), SQLValue(provenance.number), SQLValue(receipt.at),
            ])
        return number
    }

    /// Deletes the rows that no version refers to any more.
    ///
    /// - Returns: the digest of the deleted rows.
    static func deleteUnused(among numbers: Set<Int64>, in transaction: any SQLTransaction) throws -> RowsDigest {
        try transaction.delete(from: "record_source", numbered: numbers, where: unusedCondition)
    }

    /// Condition on a row that no version refers to.
    static let unusedCondition = "NOT EXISTS (SELECT 1 FROM record_version v WHERE v.source = record_source.number)"
}
