import Storage

/// The tables of Trust, steps 200 to 299.
public enum TrustSchema {
    public static let migrations: [Migration] = [
        Migration(number: 200, name: "clients, tokens and audit") { dialect in
            [
                // A device as its app receipt identifies it. Clients come and go; the binding stays here.
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
            // How many resources it was, where it is not one.
            ["ALTER TABLE audit ADD COLUMN amount BIGINT"]
        },
    ]
}
