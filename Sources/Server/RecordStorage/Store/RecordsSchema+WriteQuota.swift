import Storage

extension RecordsSchema {
    /// The number of bytes that each app wrote to a patient's records on a day (``WriteQuota``).
    package static let writeQuota: [Migration] = [
        Migration(number: 445, name: "bytes written by apps") { dialect in
            [
                """
                CREATE TABLE written_bytes (
                    day bigint NOT NULL,
                    client text NOT NULL,
                    subject text NOT NULL,
                    bytes bigint NOT NULL,
                    PRIMARY KEY (day, client, subject)
                ) \(dialect.keptInKey)
                """
            ]
        }
    ]
}
