/// The tables of the queue, steps 100 to 199.
public enum StorageSchema {
    public static let migrations: [Migration] = [
        Migration(number: 100, name: "submission queue") { dialect in
            [
                """
                CREATE TABLE submission (
                    number \(dialect.numberedKey),
                    client_id TEXT NOT NULL,
                    lane TEXT NOT NULL,
                    submission_id TEXT NOT NULL,
                    digest TEXT NOT NULL,
                    format TEXT NOT NULL,
                    sequence BIGINT,
                    resource_type_hint TEXT,
                    resource_id_hint TEXT,
                    size BIGINT NOT NULL,
                    received_at TEXT NOT NULL,
                    status TEXT NOT NULL,
                    changed_at TEXT NOT NULL,
                    change BIGINT NOT NULL,
                    attempts BIGINT NOT NULL DEFAULT 0,
                    lease_owner TEXT,
                    lease_until TEXT,
                    reason_code TEXT,
                    detail TEXT,
                    subject TEXT,
                    key_id TEXT,
                    version_ids TEXT,
                    UNIQUE (lane, submission_id))
                """,
                "CREATE INDEX submission_by_status ON submission (status, number)",
                "CREATE INDEX submission_by_change ON submission (lane, change)",
                "CREATE INDEX submission_by_client ON submission (client_id, lane)",
                "CREATE INDEX submission_by_id ON submission (submission_id)",
                "CREATE INDEX submission_by_lease ON submission (lane, lease_until) WHERE lease_owner IS NOT NULL",
                // Apart from the row, so that changing a status does not write the sealed bytes again.
                """
                CREATE TABLE submission_body (
                    number BIGINT PRIMARY KEY REFERENCES submission (number),
                    body \(dialect.blob) NOT NULL)
                """,
                "CREATE TABLE submission_counter (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)",
                "INSERT INTO submission_counter (id, value) VALUES (1, 0)",
            ]
        }
    ]
}
