import Storage

extension AccessSchema {
    /// Tables of SMART on FHIR: clients, people, and their authorizations.
    static let authorization = [clients, people, authorizations]

    private static let clients = SchemaSection("Clients of SMART on FHIR") { _ in
        """
        -- An app or a server that may request access.
        CREATE TABLE registered_client (
            id text PRIMARY KEY,
            name text NOT NULL,
            -- One of the three for a confidential client; none for a public one.
            secret_digest text,
            key_set text,
            key_set_url text,
            -- The scopes that it may request.
            scopes text NOT NULL,
            created_at text NOT NULL,
            revoked_at text
        );

        -- A redirect URI of a client.
        CREATE TABLE client_redirect (
            client_id text NOT NULL REFERENCES registered_client (id),
            -- The index in the list of the client.
            place bigint NOT NULL,
            uri text NOT NULL,
            -- The origin of the URI: scripts from there may request tokens.
            origin text,
            PRIMARY KEY (client_id, place)
        );
        CREATE INDEX client_redirect_by_origin ON client_redirect (origin);

        -- A used client assertion, stored until it expires.
        CREATE TABLE client_assertion_use (
            client_id text NOT NULL,
            -- The claim `jti` of the assertion.
            token_id text NOT NULL,
            expires_at text NOT NULL,
            PRIMARY KEY (client_id, token_id)
        );
        CREATE INDEX client_assertion_use_by_end ON client_assertion_use (expires_at);
        """
    }

    private static let people = SchemaSection("People who sign in") { _ in
        """
        -- A person who signs in to grant access to apps.
        CREATE TABLE user_account (
            id text PRIMARY KEY,
            username text NOT NULL UNIQUE,
            -- The salted digest of the password.
            password text NOT NULL,
            role text NOT NULL,
            -- The id of the Patient, for the role of a participant.
            participant text,
            -- The id of the Practitioner, if there is one.
            practitioner text,
            created_at text NOT NULL,
            disabled_at text
        );
        CREATE INDEX user_account_by_participant ON user_account (participant);

        -- A session of a person in a browser.
        CREATE TABLE user_session (
            session_digest text PRIMARY KEY,
            account_id text NOT NULL REFERENCES user_account (id),
            created_at text NOT NULL,
            expires_at text NOT NULL
        );
        CREATE INDEX user_session_of ON user_session (account_id, created_at);
        CREATE INDEX user_session_by_end ON user_session (expires_at);
        """
    }

    private static let authorizations = SchemaSection("Authorizations") { dialect in
        """
        -- Nothing that depends on an authorization lasts longer than it, so expired rows can be deleted in any order.

        -- An authorization of a client for a person or by itself. Its revocation ends everything that was issued for it.
        CREATE TABLE access_authorization (
            number \(dialect.numberedKey),
            id text NOT NULL UNIQUE,
            client_id text NOT NULL REFERENCES registered_client (id),
            account_id text,
            -- The patient in the context of the launch.
            participant text,
            session_digest text,
            -- The granted scopes.
            scopes text NOT NULL,
            -- The time at which the person signed in.
            authenticated_at text,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            revoked_at text,
            -- For a token that carries permissions: how often one of them was ended since. NULL for all others.
            permission_changes bigint
        );
        CREATE INDEX access_authorization_of_client ON access_authorization (client_id, account_id, number);
        CREATE INDEX access_authorization_of_account ON access_authorization (account_id);
        CREATE INDEX access_authorization_by_participant ON access_authorization (participant);
        CREATE INDEX access_authorization_by_end ON access_authorization (expires_at);

        -- An access token.
        CREATE TABLE bearer_token (
            number \(dialect.numberedKey),
            token_digest text NOT NULL UNIQUE,
            authorization_id text NOT NULL REFERENCES access_authorization (id),
            -- The scopes of the token, which may be fewer than those of the authorization.
            scopes text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL
        );
        CREATE INDEX bearer_token_of ON bearer_token (authorization_id, number);
        CREATE INDEX bearer_token_by_end ON bearer_token (expires_at);

        -- The code of an authorization, stored as long as it, so that a second use is detected.
        CREATE TABLE authorization_code (
            code_digest text PRIMARY KEY,
            authorization_id text NOT NULL UNIQUE REFERENCES access_authorization (id),
            redirect_uri text NOT NULL,
            -- The challenge of PKCE (RFC 7636).
            challenge text NOT NULL,
            -- The nonce for the ID token.
            nonce text,
            expires_at text NOT NULL,
            used_at text
        );

        -- A refresh token. It is stored after its use, so that a second use is detected.
        CREATE TABLE refresh_token (
            number \(dialect.numberedKey),
            token_digest text NOT NULL UNIQUE,
            authorization_id text NOT NULL REFERENCES access_authorization (id),
            created_at text NOT NULL,
            used_at text
        );
        CREATE INDEX refresh_token_of ON refresh_token (authorization_id, number);
        """
    }
}
