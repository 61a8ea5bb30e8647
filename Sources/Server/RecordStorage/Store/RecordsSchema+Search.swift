import Storage

extension RecordsSchema {
    /// The search index with numbers for systems and codes, one short entry for each token, and the dates in the row of
    /// the resource. It takes a third of the space that it took with the texts in each entry.
    static let compactSearch: [Migration] = [
        Migration(number: 405, name: "systems and codes numbered") { dialect in
            [
                "ALTER TABLE record ADD COLUMN date_low bigint",
                "ALTER TABLE record ADD COLUMN date_high bigint",
                """
                CREATE TABLE search_code (
                    number bigint PRIMARY KEY NOT NULL,
                    type text NOT NULL,
                    parameter text NOT NULL,
                    code text NOT NULL,
                    system text NOT NULL,
                    UNIQUE (type, parameter, code, system)
                )
                """,
                "CREATE INDEX search_code_by_system ON search_code (type, parameter, system, number)",
                // The number of the resource is the first column: a load appends to both tables, and the rows of a
                // participant are found when they are to be deleted.
                """
                CREATE TABLE record_code (
                    number bigint NOT NULL REFERENCES record (number),
                    code bigint NOT NULL REFERENCES search_code (number),
                    PRIMARY KEY (number, code)
                ) \(dialect.keptInKey)
                """,
                "CREATE INDEX record_code_by_code ON record_code (code, number)",
                """
                CREATE TABLE record_identifier (
                    number bigint NOT NULL REFERENCES record (number),
                    system bigint NOT NULL REFERENCES search_code (number),
                    value \(dialect.blob) NOT NULL,
                    PRIMARY KEY (number, system, value)
                ) \(dialect.keptInKey)
                """,
                "CREATE INDEX record_identifier_by_value ON record_identifier (value, system, number)",
                "CREATE INDEX record_identifier_by_system ON record_identifier (system, number)",
            ]
        },
        // This step moved the rows of the former tables. The entries of all records have since been made again from
        // their contents (``searchEntries``), so there is nothing to move.
        Migration(number: 406, name: "search index moved", slice: { _ in false }, statements: { _ in [] }),
        Migration(number: 407, name: "dates in the row") { _ in
            [
                "DROP TABLE record_token",
                "DROP TABLE record_date",
                "CREATE INDEX record_by_date_low ON record (type, date_low, date_high, number)",
                "CREATE INDEX record_by_date_high ON record (type, date_high, date_low, number)",
            ]
        },
    ]
}
