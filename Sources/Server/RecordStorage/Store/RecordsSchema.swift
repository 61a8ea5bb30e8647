import Storage

/// The tables of the records: every version as received, the current version of each, and the search index.
package enum RecordsSchema {
    package static let migrations: [Migration] =
        versions + compactSearch + sources + keys + protection + searchEntries + history + exports
        + ranges + streams + unreferencedEntries + rows + addresses + descriptiveLabels + entriesWithoutCase
        + typeChanges
        + writeQuota + healthTypes

    /// The versions of the resources, and their search index.
    private static let versions: [Migration] = [
        Migration(number: 400, name: "records") { dialect in
            [
                """
                CREATE TABLE record (
                    number bigint PRIMARY KEY NOT NULL,
                    type text NOT NULL,
                    id text NOT NULL,
                    version bigint NOT NULL,
                    subject text,
                    updated_ms bigint NOT NULL,
                    deleted bigint NOT NULL DEFAULT 0,
                    UNIQUE (type, id)
                )
                """,
                "CREATE INDEX record_by_type ON record (type, deleted, number)",
                "CREATE INDEX record_by_subject ON record (type, subject, number)",
                "CREATE INDEX record_by_update ON record (type, updated_ms, number)",
                """
                CREATE TABLE record_version (
                    type text NOT NULL,
                    id text NOT NULL,
                    version bigint NOT NULL,
                    content \(dialect.blob) NOT NULL,
                    original \(dialect.blob),
                    original_fhir_version text,
                    digest text NOT NULL,
                    last_updated text NOT NULL,
                    deleted bigint NOT NULL DEFAULT 0,
                    submission_id text NOT NULL,
                    client_id text NOT NULL,
                    key_id text,
                    received_at text NOT NULL,
                    PRIMARY KEY (type, id, version)
                )
                """,
                "CREATE INDEX record_version_by_submission ON record_version (submission_id)",
                """
                CREATE TABLE record_token (
                    number bigint NOT NULL REFERENCES record (number),
                    type text NOT NULL,
                    parameter text NOT NULL,
                    system text NOT NULL,
                    code text NOT NULL
                )
                """,
                "CREATE INDEX record_token_by_code ON record_token (type, parameter, code, system, number)",
                "CREATE INDEX record_token_by_system ON record_token (type, parameter, system, number)",
                "CREATE INDEX record_token_by_record ON record_token (number)",
                """
                CREATE TABLE record_date (
                    number bigint NOT NULL REFERENCES record (number),
                    type text NOT NULL,
                    low_ms bigint NOT NULL,
                    high_ms bigint NOT NULL
                )
                """,
                "CREATE INDEX record_date_by_low ON record_date (type, low_ms, high_ms, number)",
                "CREATE INDEX record_date_by_high ON record_date (type, high_ms, low_ms, number)",
                "CREATE INDEX record_date_by_record ON record_date (number)",
            ]
        },
        // Ids are hashes: a second key made of ids costs a page for each stored resource. A record's number is one more
        // than the last, so its versions are stored together, and each new record at the end.
        Migration(number: 401, name: "versions by the number of their record") { dialect in
            [
                """
                CREATE TABLE record_version_numbered (
                    number bigint NOT NULL REFERENCES record (number),
                    type text NOT NULL,
                    id text NOT NULL,
                    version bigint NOT NULL,
                    content \(dialect.blob) NOT NULL,
                    original \(dialect.blob),
                    original_fhir_version text,
                    digest text NOT NULL,
                    last_updated text NOT NULL,
                    deleted bigint NOT NULL DEFAULT 0,
                    submission_id text NOT NULL,
                    client_id text NOT NULL,
                    key_id text,
                    received_at text NOT NULL,
                    PRIMARY KEY (number, version)
                )
                """,
                """
                INSERT INTO record_version_numbered (number, type, id, version, content, original,
                    original_fhir_version, digest, last_updated, deleted, submission_id, client_id, key_id, received_at)
                SELECT r.number, v.type, v.id, v.version, v.content, v.original, v.original_fhir_version, v.digest,
                    v.last_updated, v.deleted, v.submission_id, v.client_id, v.key_id, v.received_at
                FROM record r JOIN record_version v ON v.type = r.type AND v.id = r.id
                ORDER BY r.number, v.version
                """,
                "DROP TABLE record_version",
                "ALTER TABLE record_version_numbered RENAME TO record_version",
                "CREATE INDEX record_version_by_submission ON record_version (submission_id)",
            ]
        },
        // The time of receipt of the submissions decides which version is the current one, not the time of processing.
        // Nearly all resources have one version for ever, so the index of the order excludes the first versions: a load
        // of millions of records writes nothing to it.
        Migration(number: 402, name: "order of versions") { dialect in
            [
                "ALTER TABLE record ADD COLUMN received_ms bigint NOT NULL DEFAULT 0",
                "ALTER TABLE record ADD COLUMN received_number bigint NOT NULL DEFAULT 0",
                "ALTER TABLE record_version ADD COLUMN received_number bigint NOT NULL DEFAULT 0",
                """
                UPDATE record SET received_ms = coalesce((SELECT \(milliseconds("v.received_at", dialect))
                    FROM record_version v WHERE v.number = record.number AND v.version = record.version), 0)
                """,
                """
                CREATE INDEX record_version_by_order ON record_version (number, received_at, received_number, version)
                WHERE version > 1
                """,
            ]
        },
        // The thumbprint of the device's key that signed it, and the device's sequence number; null where it is not
        // signed.
        Migration(number: 403, name: "who signed") { _ in
            ["record", "record_version"].flatMap { table in
                [
                    "ALTER TABLE \(table) ADD COLUMN signer text",
                    "ALTER TABLE \(table) ADD COLUMN signed_sequence bigint",
                ]
            }
        },
        // From here on contents are compressed (``ContentCodec``). Older contents stay uncompressed: their first byte
        // distinguishes them, and rewriting all of them would take longer than it is worth.
        Migration(
            number: 404, name: "dictionaries of contents",
            slice: { transaction in
                try ContentDictionaries.insert(in: transaction)
                return false
            },
            statements: { dialect in
                [
                    """
                    CREATE TABLE IF NOT EXISTS content_dictionary (
                        number bigint PRIMARY KEY NOT NULL,
                        type text NOT NULL,
                        sha256 text NOT NULL,
                        content \(dialect.blob) NOT NULL
                    )
                    """
                ]
            }),
    ]

    /// Returns the SQL of the milliseconds since 1970 of a column with an ``SQLTimestamp``.
    private static func milliseconds(_ column: String, _ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            "CAST(strftime('%s', \(column)) AS bigint) * 1000 + CAST(substr(\(column), 21, 3) AS bigint)"
        case .postgresql: "CAST(extract(epoch FROM CAST(\(column) AS timestamptz)) * 1000 AS bigint)"
        }
    }
}
