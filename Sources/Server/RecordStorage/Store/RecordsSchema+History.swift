import Foundation
import Storage

extension RecordsSchema {
    /// The times of former versions, for the history of a type and of all types.
    ///
    /// The time of a current version is in the row of its record, which is indexed by it already. Nearly all resources
    /// have one version for ever: a load of millions writes nothing here, and takes no further space.
    package static let history: [Migration] = [
        Migration(
            number: 420, name: "places of former versions", slice: insertFormerSlice,
            statements: { dialect in
                [
                    """
                    CREATE TABLE IF NOT EXISTS record_former (
                        number bigint NOT NULL REFERENCES record (number),
                        version bigint NOT NULL,
                        type text NOT NULL,
                        updated_ms bigint NOT NULL,
                        until_ms bigint NOT NULL,
                        PRIMARY KEY (number, version)
                    ) \(dialect.keptInKey)
                    """,
                    """
                    CREATE INDEX IF NOT EXISTS record_former_by_update
                    ON record_former (type, updated_ms, number, version)
                    """,
                    // The last processed record of an older store.
                    "CREATE TABLE IF NOT EXISTS record_former_progress (last bigint NOT NULL)",
                ]
            }),
        Migration(number: 421, name: "places of former versions noted") { _ in ["DROP TABLE record_former_progress"] },
    ]

    /// Maximum number of records in one transaction.
    private static var sliceCount: Int { 2000 }

    @Sendable private static func insertFormerSlice(_ transaction: any SQLTransaction) throws -> Bool {
        // 1. The next records that have several versions.
        let progress = try transaction.first("SELECT last FROM record_former_progress")
        let last = try progress?.integer("last") ?? 0
        let records = try transaction.query(
            """
            SELECT r.number, r.type, r.version FROM record r WHERE r.number > ?
                AND EXISTS (SELECT 1 FROM record_version v WHERE v.number = r.number AND v.version > 1)
            ORDER BY r.number LIMIT ?
            """, [SQLValue(last), SQLValue(sliceCount)])
        guard let end = try records.last?.integer("number") else { return false }
        // 2. The time at which each of their versions became the current one, and at which it was replaced.
        for record in records {
            let versions = try transaction.query(
                """
                SELECT v.version, v.deleted, s.stored_at, s.submission_id, s.received_at, s.received_number, s.signer,
                    s.signed_sequence
                FROM record_version v JOIN record_source s ON s.number = v.source
                WHERE v.number = ? ORDER BY v.version
                """, [record["number"]])
            for former in try FormerVersion.all(of: versions, present: record.integer("version")) {
                try former.insert(number: record.integer("number"), type: record.text("type"), in: transaction)
            }
        }
        // 3. The progress.
        try transaction.execute(
            progress == nil
                ? "INSERT INTO record_former_progress (last) VALUES (?)"
                : "UPDATE record_former_progress SET last = ?", [SQLValue(end)])
        return true
    }
}
