import Storage

extension RecordsSchema {
    /// The times of former versions, for the history of a type and of all types.
    static let history = SchemaSection("History") { dialect in
        """
        -- A version that is not the current one, with the time during which it was. The time of a current version is in the
        -- row of its record.
        CREATE TABLE record_former (
            number bigint NOT NULL REFERENCES record (number),
            version bigint NOT NULL,
            type text NOT NULL,
            -- The time at which it was stored.
            updated_ms bigint NOT NULL,
            -- The time at which the next version became the current one.
            until_ms bigint NOT NULL,
            PRIMARY KEY (number, version)
        ) \(dialect.keptInKey);
        CREATE INDEX record_former_by_update ON record_former (type, updated_ms, number, version);
        """
    }
}
