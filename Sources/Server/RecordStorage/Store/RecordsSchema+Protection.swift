import FHIR
import Foundation
import Storage
import Trust

extension RecordsSchema {
    /// The facts that decide who sees a record (``Trust/RecordFacts``), where they are more than the record's subject:
    /// several owners, or one owner and a reference without an id; a confidentiality other than the assumed one;
    /// sensitivities. Nearly all records have no row here.
    package static let protection: [Migration] = [
        Migration(
            number: 412, name: "owners and labels beside the records", slice: protectSlice,
            statements: { dialect in
                [
                    """
                    CREATE TABLE IF NOT EXISTS record_protection (
                        number bigint NOT NULL REFERENCES record (number),
                        kind text NOT NULL,
                        value text NOT NULL,
                        PRIMARY KEY (number, kind, value)
                    ) \(dialect.keptInKey)
                    """,
                    """
                    CREATE INDEX IF NOT EXISTS record_protection_by_value ON record_protection (kind, value, number)
                    """,
                    // The last processed record of an older store.
                    "CREATE TABLE IF NOT EXISTS record_protection_progress (last bigint NOT NULL)",
                ]
            }),
        Migration(number: 413, name: "owners and labels noted") { _ in ["DROP TABLE record_protection_progress"] },
    ]

    /// Maximum number of records in one transaction.
    private static var sliceCount: Int { 2000 }

    @Sendable private static func protectSlice(_ transaction: any SQLTransaction) throws -> Bool {
        // 1. The next records, with their current versions.
        let progress = try transaction.first("SELECT last FROM record_protection_progress")
        let last = try progress?.integer("last") ?? 0
        let rows = try transaction.query(
            """
            SELECT r.number, r.type, r.id, r.subject, v.content FROM record r
            JOIN record_version v ON v.number = r.number AND v.version = r.version
            WHERE r.number > ? AND v.number > ? ORDER BY r.number LIMIT ?
            """, [SQLValue(last), SQLValue(last), SQLValue(sliceCount)])
        guard let end = try rows.last?.integer("number") else { return false }
        // 2. Their owners and labels.
        for row in rows {
            let content = try ContentCodec.content(try row.blob("content"), in: transaction)
            let subject = row.textIfPresent("subject")
            guard subject == nil || mayHaveLabels(content) else { continue }
            let facts = try facts(of: content, row, subject: subject)
            try RecordProtection.write(
                RecordProtection.rows(of: facts, subject: subject), number: try row.integer("number"), in: transaction)
        }
        // 3. The progress.
        try transaction.execute(
            progress == nil
                ? "INSERT INTO record_protection_progress (last) VALUES (?)"
                : "UPDATE record_protection_progress SET last = ?", [SQLValue(end)])
        return true
    }

    /// Returns the facts of a stored content. Content that is not a resource may be about anyone: only a caller that
    /// sees everything sees it.
    private static func facts(of content: Data, _ row: SQLRow, subject: String?) throws -> RecordFacts {
        if let resource = try? Resource(content) {
            return RecordFacts(resource, storedAs: try row.text("id"), subject: subject)
        }
        return RecordFacts(
            type: try row.text("type"), patients: Set(subject.map { [$0] } ?? []),
            labels: SecurityLabels(
                confidentiality: .veryRestricted, sensitivities: [SecurityLabels.unrecognized]))
    }

    /// Whether a content may have `meta.security`. Content with escaped characters may contain anything.
    private static func mayHaveLabels(_ content: some Collection<UInt8>) -> Bool {
        content.firstRange(of: Array("security".utf8)) != nil || content.firstRange(of: Array("\\u".utf8)) != nil
    }
}
