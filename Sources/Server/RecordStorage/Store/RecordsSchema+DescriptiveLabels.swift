import FHIR
import FHIRSearch
import Foundation
import Storage
import Trust

extension RecordsSchema {
    /// Corrects the stored labels and owners of an older store. Codes of v3-ObservationValue were stored as unknown
    /// sensitivities and hid the record, and the owner of a Binary was not read from its `securityContext`.
    static let descriptiveLabels: [Migration] = [
        Migration(number: 436, name: "labels that describe", slice: correctLabels) { _ in
            // The last processed record of an older store.
            ["CREATE TABLE IF NOT EXISTS record_label_progress (last bigint NOT NULL)"]
        },
        Migration(number: 437, name: "labels that describe corrected") { _ in ["DROP TABLE record_label_progress"] },
    ]

    /// Maximum number of records in one transaction.
    private static var sliceCount: Int { 1000 }

    @Sendable private static func correctLabels(_ transaction: any SQLTransaction) throws -> Bool {
        // 1. The next records whose rows may change.
        let progress = try transaction.first("SELECT last FROM record_label_progress")
        let last = try progress?.integer("last") ?? 0
        let numbers = try transaction.query(affectedSQL, [SQLValue(last), SQLValue(last), SQLValue(sliceCount)])
            .map { try $0.integer("number") }
        guard let end = numbers.last else { return false }
        // 2. Their rows, from the newest version with content.
        for number in numbers {
            guard let row = try transaction.first(contentSQL, [SQLValue(number)]),
                let resource = try? Resource(ContentCodec.content(try row.blob("content"), in: transaction))
            else { continue }
            let id = try row.text("id")
            let subject = SearchIndex.subject(of: resource, id: id)
            if subject != row.textIfPresent("subject") {
                try transaction.execute(
                    "UPDATE record SET subject = ? WHERE number = ?", [SQLValue(subject), SQLValue(number)])
            }
            let facts = RecordFacts(resource, storedAs: id, subject: subject)
            try RecordProtection.replace(
                RecordProtection.rows(of: facts, subject: subject), number: number, in: transaction)
        }
        // 3. The progress.
        try transaction.execute(
            progress == nil
                ? "INSERT INTO record_label_progress (last) VALUES (?)" : "UPDATE record_label_progress SET last = ?",
            [SQLValue(end)])
        return true
    }

    /// Parameters: the last processed number, twice; the maximum number of rows. The index of values and the index of
    /// types return the rows in the order of their numbers.
    static let affectedSQL = """
        SELECT number FROM (
            SELECT number FROM record_protection WHERE kind = 'sensitivity' AND value = '\(SecurityLabels.unrecognized)'
                AND number > ?
            UNION SELECT number FROM record WHERE type = 'Binary' AND number > ?
        ) AS affected ORDER BY number LIMIT ?
        """

    /// The current version, or the last one before a deletion. Parameter: the number of the record.
    private static let contentSQL = """
        SELECT r.id, r.subject, v.content FROM record r JOIN record_version v ON v.number = r.number
        WHERE r.number = ? AND v.deleted = 0
        ORDER BY v.version = r.version DESC, v.received_ms DESC, v.received_number DESC, v.version DESC LIMIT 1
        """
}
