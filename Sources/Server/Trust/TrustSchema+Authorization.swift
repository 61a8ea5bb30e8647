import Storage

extension TrustSchema {
    /// Tables of SMART on FHIR: clients, people, and their authorizations.
    static let authorization: [Migration] = [
        Migration(number: 207, name: "clients of SMART on FHIR") { _ in clients },
        Migration(number: 208, name: "authorizations and their tokens") { dialect in tokens(dialect) },
        Migration(number: 209, name: "people who sign in") { _ in people },
        Migration(number: 210, name: "codes and refresh tokens") { dialect in codes(dialect) },
    ]

    private static let clients = [
        """
        CREATE TABLE registered_client (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            secret_digest TEXT,
            key_set TEXT,
            key_set_url TEXT,
            scopes TEXT NOT NULL,
            created_at TEXT NOT NULL,
            revoked_at TEXT)
        """,
        """
        CREATE TABLE client_redirect (
            client_id TEXT NOT NULL REFERENCES registered_client (id),
            place BIGINT NOT NULL,
            uri TEXT NOT NULL,
            origin TEXT,
            PRIMARY KEY (client_id, place))
        """,
        "CREATE INDEX client_redirect_by_origin ON client_redirect (origin)",
    ]

    /// Nothing that depends on an authorization lasts longer than it, so expired rows can be deleted in any order.
    private static func tokens(_ dialect: SQLDialect) -> [String] {
        [
            // Authorizations of a client for a person or by itself. Revoking one ends everything that was issued for
            // it.
            """
            CREATE TABLE access_authorization (
                number \(dialect.numberedKey),
                id TEXT NOT NULL UNIQUE,
                client_id TEXT NOT NULL REFERENCES registered_client (id),
                account_id TEXT,
                participant TEXT,
                session_digest TEXT,
                scopes TEXT NOT NULL,
                authenticated_at TEXT,
                created_at TEXT NOT NULL,
                expires_at TEXT NOT NULL,
                revoked_at TEXT)
            """,
            "CREATE INDEX access_authorization_of_client ON access_authorization (client_id, account_id, number)",
            "CREATE INDEX access_authorization_of_account ON access_authorization (account_id)",
            "CREATE INDEX access_authorization_by_participant ON access_authorization (participant)",
            "CREATE INDEX access_authorization_by_end ON access_authorization (expires_at)",
            """
            CREATE TABLE bearer_token (
                number \(dialect.numberedKey),
                token_digest TEXT NOT NULL UNIQUE,
                authorization_id TEXT NOT NULL REFERENCES access_authorization (id),
                scopes TEXT NOT NULL,
                created_at TEXT NOT NULL,
                expires_at TEXT NOT NULL)
            """,
            "CREATE INDEX bearer_token_of ON bearer_token (authorization_id, number)",
            "CREATE INDEX bearer_token_by_end ON bearer_token (expires_at)",
            // Used client assertions, stored until they expire.
            """
            CREATE TABLE client_assertion_use (
                client_id TEXT NOT NULL,
                token_id TEXT NOT NULL,
                expires_at TEXT NOT NULL,
                PRIMARY KEY (client_id, token_id))
            """,
            "CREATE INDEX client_assertion_use_by_end ON client_assertion_use (expires_at)",
        ]
    }

    private static let people = [
        """
        CREATE TABLE user_account (
            id TEXT PRIMARY KEY,
            username TEXT NOT NULL UNIQUE,
            password TEXT NOT NULL,
            role TEXT NOT NULL,
            participant TEXT,
            practitioner TEXT,
            created_at TEXT NOT NULL,
            disabled_at TEXT)
        """,
        "CREATE INDEX user_account_by_participant ON user_account (participant)",
        """
        CREATE TABLE user_session (
            session_digest TEXT PRIMARY KEY,
            account_id TEXT NOT NULL REFERENCES user_account (id),
            created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL)
        """,
        "CREATE INDEX user_session_of ON user_session (account_id, created_at)",
        "CREATE INDEX user_session_by_end ON user_session (expires_at)",
    ]

    private static func codes(_ dialect: SQLDialect) -> [String] {
        [
            // One for each authorization, stored as long as it, so that a second use is detected.
            """
            CREATE TABLE authorization_code (
                code_digest TEXT PRIMARY KEY,
                authorization_id TEXT NOT NULL UNIQUE REFERENCES access_authorization (id),
                redirect_uri TEXT NOT NULL,
                challenge TEXT NOT NULL,
                nonce TEXT,
                expires_at TEXT NOT NULL,
                used_at TEXT)
            """,
            """
            CREATE TABLE refresh_token (
                number \(dialect.numberedKey),
                token_digest TEXT NOT NULL UNIQUE,
                authorization_id TEXT NOT NULL REFERENCES access_authorization (id),
                created_at TEXT NOT NULL,
                used_at TEXT)
            """,
            "CREATE INDEX refresh_token_of ON refresh_token (authorization_id, number)",
        ]
    }
}
