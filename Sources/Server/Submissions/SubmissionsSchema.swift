import Storage

/// Tables of the queue's store, steps 700 to 799: submissions, the devices that send them, and their tokens. They do
/// not identify a device's participant.
///
/// The records are in another database. Before version 0.4 one database contained both, and its queue tables were the
/// steps 100 to 199; these numbers are not used again.
public enum SubmissionsSchema {
    public static let migrations: [Migration] = [
        Migration(number: 700, name: "queue store") { dialect in
            state + devices + submissions(dialect)
        },
        // The status `quarantined` was called `parked` before.
        Migration(number: 701, name: "quarantined submissions") { _ in
            [
                "DROP INDEX submission_held", "DROP INDEX submission_by_reason",
                "UPDATE submission SET status = 'quarantined' WHERE status = 'parked'",
                """
                CREATE INDEX submission_held ON submission (lane, number, size)
                WHERE status IN ('held', 'quarantined')
                """,
                """
                CREATE INDEX submission_by_reason ON submission (reason_code, number)
                WHERE status IN ('held', 'quarantined')
                """,
            ]
        },
        Migration(number: 702, name: "submissions by the device's number") { _ in
            [
                """
                CREATE INDEX submission_by_sequence ON submission (lane, sequence, received_at)
                WHERE sequence IS NOT NULL
                """
            ]
        },
        Migration(number: 703, name: "submissions by reason and by time of receipt") { _ in
            [
                "DROP INDEX submission_by_reason",
                """
                CREATE INDEX submission_by_reason ON submission (reason_code, status, number)
                WHERE reason_code IS NOT NULL
                """,
                "CREATE INDEX submission_by_receipt ON submission (received_at, number)",
            ]
        },
    ]

    private static let state = [
        // One row. `change` numbers the changes of submissions, `lease` the leases; `epoch` increases with each
        // restore.
        """
        CREATE TABLE queue_state (
            id BIGINT PRIMARY KEY,
            queue_id TEXT NOT NULL,
            study_id TEXT,
            epoch BIGINT NOT NULL,
            change BIGINT NOT NULL,
            lease BIGINT NOT NULL)
        """,
        "INSERT INTO queue_state (id, queue_id, epoch, change, lease) VALUES (1, '', 1, 0, 0)",
        // Counts of rejected unauthenticated requests, by minute: with one row each, anyone could fill the disk.
        """
        CREATE TABLE refusal_count (
            minute TEXT NOT NULL,
            code TEXT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (minute, code))
        """,
    ]

    private static let devices = [
        // A device, identified by its app receipt. It may register new clients; its submissions keep their `lane`.
        """
        CREATE TABLE enrolment (
            id TEXT PRIMARY KEY,
            receipt_digest TEXT NOT NULL UNIQUE,
            created_at TEXT NOT NULL,
            last_seen_at TEXT,
            revoked_at TEXT)
        """,
        """
        CREATE TABLE client (
            id TEXT PRIMARY KEY,
            enrolment_id TEXT NOT NULL REFERENCES enrolment (id),
            secret_digest TEXT NOT NULL,
            created_at TEXT NOT NULL,
            revoked_at TEXT)
        """,
        "CREATE INDEX client_by_enrolment ON client (enrolment_id)",
        """
        CREATE TABLE access_token (
            token_digest TEXT PRIMARY KEY,
            client_id TEXT NOT NULL REFERENCES client (id),
            created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL)
        """,
        "CREATE INDEX access_token_by_client ON access_token (client_id, created_at)",
        "CREATE INDEX access_token_by_expiry ON access_token (expires_at)",
    ]

    private static func submissions(_ dialect: SQLDialect) -> [String] {
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
                size BIGINT NOT NULL,
                received_at TEXT NOT NULL,
                status TEXT NOT NULL,
                changed_at TEXT NOT NULL,
                change BIGINT NOT NULL,
                attempts BIGINT NOT NULL DEFAULT 0,
                begun BIGINT NOT NULL DEFAULT 0,
                lease BIGINT,
                lease_owner TEXT,
                lease_until TEXT,
                held_until TEXT,
                reason_code TEXT,
                detail TEXT,
                key_id TEXT,
                UNIQUE (lane, submission_id))
            """,
            "CREATE INDEX submission_by_status ON submission (status, number)",
            "CREATE INDEX submission_by_change ON submission (lane, change)",
            "CREATE INDEX submission_by_client ON submission (client_id, lane)",
            "CREATE INDEX submission_by_id ON submission (submission_id)",
            "CREATE INDEX submission_by_lease ON submission (lane, lease_until) WHERE lease_owner IS NOT NULL",
            "CREATE INDEX submission_begun ON submission (lane, number) WHERE status = 'received' AND begun > 0",
            // Held and quarantined submissions of a device, with their sizes.
            "CREATE INDEX submission_held ON submission (lane, number, size) WHERE status IN ('held', 'parked')",
            "CREATE INDEX submission_held_until ON submission (held_until) WHERE held_until IS NOT NULL",
            "CREATE INDEX submission_by_reason ON submission (reason_code, number) WHERE status IN ('held', 'parked')",
            // A separate table, so that a change of the status does not rewrite the sealed body.
            """
            CREATE TABLE submission_body (
                number BIGINT PRIMARY KEY REFERENCES submission (number),
                body \(dialect.blob) NOT NULL)
            """,
        ]
    }
}
