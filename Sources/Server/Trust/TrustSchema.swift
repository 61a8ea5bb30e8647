import Storage

/// The tables of Trust in the records' store, steps 200 to 299.
package enum TrustSchema {
    package static let migrations: [Migration] = basis + authorization

    private static let basis: [Migration] = [
        Migration(number: 200, name: "clients, tokens and audit") { dialect in
            [
                // A device, identified by its app receipt. It may register new clients; the binding is stored here.
                """
                CREATE TABLE enrolment (
                    id TEXT PRIMARY KEY,
                    receipt_digest TEXT NOT NULL UNIQUE,
                    participant TEXT UNIQUE,
                    bound_at TEXT,
                    created_at TEXT NOT NULL,
                    last_seen_at TEXT)
                """,
                """
                CREATE TABLE client (
                    id TEXT PRIMARY KEY,
                    enrolment_id TEXT NOT NULL REFERENCES enrolment (id),
                    secret_digest TEXT NOT NULL,
                    name TEXT,
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
                "CREATE INDEX access_token_by_client ON access_token (client_id)",
                "CREATE INDEX access_token_by_expiry ON access_token (expires_at)",
                """
                CREATE TABLE staff_token (
                    token_digest TEXT PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    name TEXT,
                    created_at TEXT NOT NULL,
                    expires_at TEXT)
                """,
                """
                CREATE TABLE audit (
                    number \(dialect.numberedKey),
                    at TEXT NOT NULL,
                    actor_id TEXT,
                    role TEXT,
                    action TEXT NOT NULL,
                    resource_type TEXT,
                    resource_id TEXT,
                    subject TEXT,
                    allowed BIGINT NOT NULL,
                    reason TEXT NOT NULL)
                """,
                "CREATE INDEX audit_by_subject ON audit (subject, number)",
            ]
        },
        Migration(number: 201, name: "amounts in the audit") { _ in
            // Number of resources, if it is not one.
            ["ALTER TABLE audit ADD COLUMN amount BIGINT"]
        },
        // Devices, their clients and tokens were moved to the queue's store; their bindings to participants stay here.
        Migration(number: 202, name: "bindings, pseudonyms, no clients") { dialect in
            bindings(dialect) + pseudonyms(dialect) + [
                "ALTER TABLE staff_token ADD COLUMN revoked_at TEXT",
                "DROP TABLE access_token", "DROP TABLE client", "DROP TABLE enrolment",
            ]
        },
        Migration(number: 203, name: "keys of devices, invitations") { dialect in keys(dialect) + invitations },
        Migration(number: 205, name: "deleted participants") { dialect in
            [
                // Keyed digests only; later data of these participants is refused.
                """
                CREATE TABLE participant_deletion (
                    digest TEXT PRIMARY KEY,
                    deleted_at TEXT NOT NULL,
                    completed_at TEXT,
                    work TEXT)
                """,
                "CREATE TABLE participant_deletion_key (id BIGINT PRIMARY KEY, digest_key \(dialect.blob) NOT NULL)",
                // Ended bindings are also looked up by participant.
                "CREATE INDEX device_binding_by_participant ON device_binding (participant, number)",
            ]
        },
        Migration(number: 206, name: "tokens with scopes") { _ in
            [
                // NULL for the tokens of the study team, whose role decides about their permissions.
                "ALTER TABLE staff_token ADD COLUMN scopes TEXT",
                "ALTER TABLE staff_token ADD COLUMN reaches_all BIGINT NOT NULL DEFAULT 0",
                """
                CREATE TABLE token_patient (
                    token_id TEXT NOT NULL REFERENCES staff_token (id),
                    participant TEXT NOT NULL,
                    PRIMARY KEY (token_id, participant))
                """,
                "CREATE INDEX token_patient_by_participant ON token_patient (participant)",
            ]
        },
    ]

    /// A device that was bound before devices signed may send unsigned data until its first signed Contract.
    private static func keys(_ dialect: SQLDialect) -> [String] {
        [
            "ALTER TABLE device_binding ADD COLUMN takes_unsigned BIGINT NOT NULL DEFAULT 0",
            "UPDATE device_binding SET takes_unsigned = 1",
            """
            CREATE TABLE device_key (
                number \(dialect.numberedKey),
                key_id TEXT NOT NULL,
                device TEXT NOT NULL,
                participant TEXT NOT NULL,
                jwk TEXT NOT NULL,
                pinned_at TEXT NOT NULL,
                ended_at TEXT)
            """,
            "CREATE UNIQUE INDEX device_key_in_force ON device_key (key_id) WHERE ended_at IS NULL",
            "CREATE UNIQUE INDEX device_key_of_participant ON device_key (participant) WHERE ended_at IS NULL",
            "CREATE INDEX device_key_by_device ON device_key (device)",
        ]
    }

    private static let invitations = [
        """
        CREATE TABLE invitation (
            secret_digest TEXT PRIMARY KEY,
            created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL,
            used_at TEXT,
            used_by TEXT)
        """
    ]

    /// A row that has ended and contains no participant blocks a device that had none.
    private static func bindings(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE device_binding (
                number \(dialect.numberedKey),
                device TEXT NOT NULL,
                participant TEXT CHECK (participant IS NOT NULL OR ended_at IS NOT NULL),
                bound_at TEXT NOT NULL,
                ended_at TEXT)
            """,
            """
            INSERT INTO device_binding (device, participant, bound_at)
            SELECT id, participant, COALESCE(bound_at, created_at) FROM enrolment WHERE participant IS NOT NULL
            ORDER BY created_at, id
            """,
            "CREATE UNIQUE INDEX device_binding_of_device ON device_binding (device) WHERE ended_at IS NULL",
            "CREATE UNIQUE INDEX device_binding_of_participant ON device_binding (participant) WHERE ended_at IS NULL",
            "CREATE INDEX device_binding_by_device ON device_binding (device)",
            """
            CREATE TABLE move_code (
                secret_digest TEXT PRIMARY KEY,
                participant TEXT NOT NULL,
                created_at TEXT NOT NULL,
                expires_at TEXT NOT NULL,
                used_at TEXT,
                used_by TEXT)
            """,
            "CREATE INDEX move_code_by_participant ON move_code (participant)",
        ]
    }

    /// The audit contains participants under pseudonyms; deleting one row of this table removes the identity of the
    /// participant there.
    private static func pseudonyms(_ dialect: SQLDialect) -> [String] {
        let random =
            switch dialect {
            case .sqlite: "lower(hex(randomblob(16)))"
            case .postgresql: "md5(random()::text || clock_timestamp()::text)"
            }
        return [
            // A Patient's id is the participant's id, also if the row contains no subject.
            "UPDATE audit SET subject = resource_id WHERE subject IS NULL AND resource_type = 'Patient'",
            "CREATE TABLE participant_pseudonym (participant TEXT PRIMARY KEY, pseudonym TEXT NOT NULL UNIQUE)",
            """
            INSERT INTO participant_pseudonym (participant, pseudonym)
            SELECT subject, \(random) FROM (SELECT DISTINCT subject FROM audit WHERE subject IS NOT NULL) AS known
            """,
            """
            UPDATE audit SET resource_id = CASE WHEN resource_type = 'Patient' THEN NULL ELSE resource_id END, subject =
                (SELECT p.pseudonym FROM participant_pseudonym p WHERE p.participant = audit.subject)
            WHERE subject IS NOT NULL
            """,
            """
            CREATE TABLE audit_participant (
                number BIGINT NOT NULL REFERENCES audit (number),
                pseudonym TEXT NOT NULL)
            """,
            "CREATE INDEX audit_participant_by_number ON audit_participant (number)",
            "CREATE INDEX audit_participant_by_pseudonym ON audit_participant (pseudonym, number)",
        ]
    }
}
