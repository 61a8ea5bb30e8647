import Storage

extension RecordsSchema {
    /// The table of ``WriteQuota``.
    static let writeQuota = SchemaSection("Bytes written by apps") { dialect in
        """
        -- The number of bytes that an app wrote to the records of a patient on a day.
        CREATE TABLE written_bytes (
            -- The days since 1970.
            day bigint NOT NULL,
            client text NOT NULL,
            subject text NOT NULL,
            bytes bigint NOT NULL,
            PRIMARY KEY (day, client, subject)
        ) \(dialect.keptInKey);
        """
    }
}
