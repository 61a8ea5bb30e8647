import FHIRSearch
import Storage

extension RecordsSchema {
    /// Indexes whose keys contain only the columns that the queries use.
    ///
    /// Rare states have indexes of their own (deleted, longer than a day). PostgreSQL stores equal keys once, with six
    /// bytes for each row (https://www.postgresql.org/docs/current/btree.html), as long as no further column makes each
    /// entry unique. Entries of SQLite end with the row's key in any case, so it answers from the index alone.
    package static let keys: [Migration] = [
        Migration(number: 410, name: "shorter keys") { dialect in
            let both = [
                "DROP INDEX record_by_type",
                "CREATE INDEX record_by_type ON record (type, number)\(appended(dialect)) WHERE deleted = 0",
                "DROP INDEX record_by_date_high",
                """
                CREATE INDEX record_by_long_date ON record (type, date_high, date_low, number)
                WHERE date_high NOT BETWEEN date_low AND date_low + \(DateColumns.longest)
                """,
            ]
            return both + (dialect == .postgresql ? mergedKeys : [])
        },
        // The indexes that a first load works without.
        Migration(number: 411, name: "indexes that a load dropped") { _ in [SuspendedIndexes.table] },
    ]

    /// Option of an index that grows only at its end: its pages are filled completely.
    static func appended(_ dialect: SQLDialect) -> String {
        dialect == .postgresql ? " WITH (fillfactor = 100)" : ""
    }

    private static let mergedKeys =
        [
            "DROP INDEX record_by_date_low",
            "CREATE INDEX record_by_date_low ON record (type, date_low)",
            "DROP INDEX record_by_update",
            "CREATE INDEX record_by_update ON record (type, updated_ms)",
            "DROP INDEX record_version_by_source",
            "CREATE INDEX record_version_by_source ON record_version (source)",
            "DROP INDEX record_code_by_code",
            "CREATE INDEX record_code_by_code ON record_code (code)",
            "DROP INDEX record_identifier_by_system",
            "CREATE INDEX record_identifier_by_system ON record_identifier (system)",
            // The first bytes of a digest are enough to find the few rows that have it
            // (``SearchIndex/prefix(ofKey:)``).
            "DROP INDEX record_identifier_by_value",
            """
            CREATE INDEX record_identifier_by_value ON record_identifier (substr(value, 1, \(SearchIndex.keyPrefixLength)))
            """,
        ]
        + ["record_code", "record_identifier"].flatMap { table in
            [
                "ALTER TABLE \(table) DROP CONSTRAINT \(table)_pkey",
                "CREATE INDEX \(table)_by_record ON \(table) (number)\(appended(.postgresql))",
            ]
        }
        + ["record_pkey", "record_by_subject", "record_version_moved_pkey"].map {
            "ALTER INDEX \($0) SET (fillfactor = 100)"
        }
}
