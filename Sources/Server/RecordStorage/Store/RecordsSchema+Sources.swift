import Core
import Foundation
import Storage

extension RecordsSchema {
    /// The origin of versions, stored once for each submission. The rows of versions contain their content, its digest
    /// as bytes, and little else. People who read the tables find all columns together in the view `record_history`.
    package static let sources: [Migration] = [
        Migration(
            number: 408, name: "provenance once for each submission", slice: moveVersions,
            statements: { dialect in
                [
                    """
                    CREATE TABLE IF NOT EXISTS record_source (
                        number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
                        submission_id text NOT NULL,
                        client_id text NOT NULL,
                        key_id text,
                        signer text,
                        signed_sequence bigint,
                        received_at text NOT NULL,
                        received_number bigint NOT NULL,
                        stored_at text NOT NULL
                    )
                    """,
                    """
                    CREATE INDEX IF NOT EXISTS record_source_by_submission ON record_source (submission_id, stored_at)
                    """,
                    // All versions but the first have the order of receipt. Nearly all resources have only a first
                    // version.
                    """
                    CREATE TABLE IF NOT EXISTS record_version_moved (
                        number bigint NOT NULL REFERENCES record (number),
                        version bigint NOT NULL,
                        content \(dialect.blob) NOT NULL,
                        original \(dialect.blob),
                        original_fhir_version text,
                        digest \(dialect.blob) NOT NULL,
                        deleted bigint NOT NULL DEFAULT 0,
                        source bigint NOT NULL REFERENCES record_source (number),
                        received_ms bigint,
                        received_number bigint,
                        PRIMARY KEY (number, version)
                    )
                    """,
                ]
            }),
        Migration(number: 409, name: "versions moved") { _ in
            [
                "DROP TABLE record_version",
                "ALTER TABLE record_version_moved RENAME TO record_version",
                "CREATE INDEX record_version_by_source ON record_version (source, number)",
                """
                CREATE INDEX record_version_by_order ON record_version (number, received_ms, received_number, version)
                WHERE version > 1
                """,
                """
                CREATE VIEW record_history AS
                SELECT r.number, r.type, r.id, v.version, v.content, v.original, v.original_fhir_version, v.digest,
                    v.deleted, s.stored_at AS last_updated, s.submission_id, s.client_id, s.key_id, s.signer,
                    s.signed_sequence, s.received_at, s.received_number
                FROM record_version v JOIN record r ON r.number = v.number JOIN record_source s ON s.number = v.source
                """,
            ]
        },
    ]

    /// Maximum number of versions in one transaction.
    private static var sliceCount: Int64 { 2000 }

    @Sendable private static func moveVersions(_ transaction: any SQLTransaction) throws -> Bool {
        let rows = try transaction.query(
            "SELECT * FROM record_version ORDER BY number, version LIMIT ?", [SQLValue(sliceCount)])
        guard !rows.isEmpty else { return false }
        var sources = RecordSources(in: transaction)
        for row in rows {
            let version = try row.integer("version")
            let provenance = RecordProvenance(
                submissionID: try row.text("submission_id"), clientID: try row.text("client_id"),
                keyID: row.textIfPresent("key_id"), receivedAt: try row.date("received_at"),
                number: try row.integer("received_number"), signed: RecordOrder.SignedPosition(row))
            let source = try sources.number(of: RecordReceipt(provenance: provenance, at: try row.date("last_updated")))
            let digest = try row.text("digest")
            let isFirst = version == 1
            try transaction.execute(
                """
                INSERT INTO record_version_moved (number, version, content, original, original_fhir_version, digest,
                    deleted, source, received_ms, received_number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    row["number"], SQLValue(version), row["content"], row["original"], row["original_fhir_version"],
                    .blob(Data(Hexadecimal.bytes(digest) ?? Array(digest.utf8))), row["deleted"], SQLValue(source),
                    isFirst ? .null : SQLValue(provenance.order.receivedMilliseconds),
                    isFirst ? .null : SQLValue(provenance.number),
                ])
            try transaction.execute(
                "DELETE FROM record_version WHERE number = ? AND version = ?", [row["number"], SQLValue(version)])
        }
        return true
    }
}
