import Storage

extension RecordsSchema {
    /// The summary of participants' Observations by health type.
    static let streams = SchemaSection("Streams") { dialect in
        """
        -- The Observations of one health type of a participant, counted.
        CREATE TABLE record_stream (
            subject text NOT NULL,
            -- HealthKit's identifier of the type.
            stream text NOT NULL,
            -- The first and the last time of measurement.
            first_ms bigint,
            last_ms bigint,
            -- The last receipt.
            received_ms bigint NOT NULL,
            total bigint NOT NULL,
            PRIMARY KEY (subject, stream)
        ) \(dialect.keptInKey);
        """
    }
}
