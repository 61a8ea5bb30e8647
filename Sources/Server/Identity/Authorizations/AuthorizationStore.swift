import AccessPolicy
import Audit
import Foundation
import Storage

/// Authorizations of clients, and the codes and tokens that are issued for them.
package struct AuthorizationStore: AuditedStore {
    package let audit: AuditLog

    /// Creates the store for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
    }

    /// A person's approval of an app's request.
    package struct Approval: Sendable, Hashable {
        package let client: RegisteredClient
        package let session: UserSession
        package let scopes: AccessScopes
        package let patient: String?
        package let expiresAt: Date
        /// URI that receives the code; the request that redeems the code must contain the same one.
        package let redirectURI: String
        /// `code_challenge` by S256 (RFC 7636 section 4.2).
        package let challenge: String
        package let nonce: String?

        package init(
            client: RegisteredClient, session: UserSession, scopes: AccessScopes, patient: String?, expiresAt: Date,
            redirectURI: String, challenge: String, nonce: String?
        ) {
            self.client = client
            self.session = session
            self.scopes = scopes
            self.patient = patient
            self.expiresAt = expiresAt
            self.redirectURI = redirectURI
            self.challenge = challenge
            self.nonce = nonce
        }
    }

    /// Seconds until a code expires (RFC 6749 section 4.1.2 recommends a maximum of ten minutes).
    package static let codeLifetime: TimeInterval = 60
    /// Maximum number of authorizations of one client by a person; the oldest end first.
    static let maximumAuthorizations = 50
    /// Maximum number of authorizations of a client without a person.
    static let maximumServiceAuthorizations = 500
    /// Maximum number of access tokens of an authorization; the oldest end first.
    static let maximumAccessTokens = 20

    /// Creates the code that an app exchanges for tokens (RFC 6749 section 4.1.2); the only time it is returned.
    ///
    /// - Throws: ``AccessError`` with the policy's reason; ``AccessGrantError`` if a patient is missing;
    ///   `participant-deleted`.
    package func authorize(_ approval: Approval) async throws -> String {
        let code = String.newSecret(random)
        let now = clock()
        let account = approval.session.account
        _ = try Self.grant(
            client: approval.client.id, account: account, patient: approval.patient, scopes: approval.scopes,
            end: approval.expiresAt)
        let authorization = newAuthorization(
            of: approval.client.id, account: account.id, scopes: approval.scopes, expiresAt: approval.expiresAt)
        try await database.write { transaction in
            try requireAuthorizing(account.actor, approval.client, about: approval.patient, in: transaction)
            if let patient = approval.patient {
                guard try DeletionRegister().entry(of: patient, in: transaction) == nil else {
                    throw AccessError(
                        code: DeletionRegister.code, message: "This patient was deleted; choose another one.")
                }
            }
            try insert(
                authorization, patient: approval.patient, session: approval.session, limit: Self.maximumAuthorizations,
                in: transaction)
            try transaction.execute(
                """
                INSERT INTO authorization_code (code_digest, authorization_id, redirect_uri, challenge, nonce, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(SecretDigest(of: code).hex), SQLValue(authorization.id), SQLValue(approval.redirectURI),
                    SQLValue(approval.challenge), SQLValue(approval.nonce),
                    SQLValue(min(approval.expiresAt, now.addingTimeInterval(Self.codeLifetime))),
                ])
        }
        return code
    }

    /// Issues an access token to a client without a person (SMART Backend Services).
    package func issueServiceToken(
        to client: RegisteredClient, scopes: AccessScopes, lifetime: TimeInterval
    ) async throws -> IssuedTokens {
        let end = clock().addingTimeInterval(lifetime)
        _ = try Self.grant(client: client.id, account: nil, patient: nil, scopes: scopes, end: end)
        let new = newAuthorization(of: client.id, account: nil, scopes: scopes, expiresAt: end)
        let token = String.newSecret(random)
        return try await database.write { transaction in
            try requireAuthorizing(client.actor, client, about: nil, in: transaction)
            let authorization = try insert(new, limit: Self.maximumServiceAuthorizations, in: transaction)
            try insert(token, of: authorization, scopes: scopes, expiresAt: end, in: transaction)
            return IssuedTokens(
                accessToken: token, expiresAt: end, scopes: scopes, refreshToken: nil, authorization: authorization,
                nonce: nil, account: nil)
        }
    }

    /// Records the use of a client assertion.
    ///
    /// - Returns: whether it had not been used before.
    package func use(assertion tokenID: String, of clientID: String, expiresAt: Date) async throws -> Bool {
        try await database.write {
            try use(assertion: tokenID, of: clientID, expiresAt: expiresAt, in: $0)
        }
    }

    /// Records the use of a client assertion as part of a transaction.
    ///
    /// - Returns: whether it had not been used before.
    package func use(
        assertion tokenID: String, of clientID: String, expiresAt: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        try transaction.execute("DELETE FROM client_assertion_use WHERE expires_at <= ?", [SQLValue(clock())])
        return try transaction.execute(
            """
            INSERT INTO client_assertion_use (client_id, token_id, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (client_id, token_id) DO NOTHING
            """, [SQLValue(clientID), SQLValue(tokenID), SQLValue(expiresAt)]) > 0
    }
}

extension AuthorizationStore {
    /// A new row of the table.
    struct NewAuthorization: Sendable {
        let id: String
        let clientID: String
        let accountID: String?
        let scopes: AccessScopes
        let createdAt: Date
        let expiresAt: Date
        /// Whether its tokens carry permissions of people.
        var carriesPermissions = false
    }

    func newAuthorization(
        of client: String, account: String?, scopes: AccessScopes, expiresAt: Date
    ) -> NewAuthorization {
        NewAuthorization(
            id: RandomID.make(random), clientID: client, accountID: account, scopes: scopes, createdAt: clock(),
            expiresAt: expiresAt)
    }

    func requireAuthorizing(
        _ actor: Actor, _ client: RegisteredClient, about patient: String?, in transaction: any SQLTransaction
    ) throws {
        let target = Target(resourceType: "Client", resourceID: client.id, subject: patient)
        let decision = try audit.decide(actor, action: .authorizeApp, target: target, in: transaction)
        guard decision.allowed, try ClientStore.client(client.id, in: transaction) != nil else {
            throw AccessError(
                code: decision.allowed ? "client-revoked" : decision.reason,
                message: "This account may not authorize an app.")
        }
    }

    @discardableResult
    func insert(
        _ new: NewAuthorization, patient: String? = nil, session: UserSession? = nil, limit: Int,
        in transaction: any SQLTransaction
    ) throws -> AccessAuthorization {
        try removeEnded(in: transaction)
        let holder = [SQLValue(new.clientID)] + (new.accountID.map { [SQLValue($0)] } ?? [])
        let surplus = try transaction.query(
            new.accountID == nil ? Self.surplusOfServiceSQL : Self.surplusSQL, holder + [SQLValue(limit - 1)])
        try Self.remove(authorizations: surplus, in: transaction)
        try transaction.execute(
            """
            INSERT INTO access_authorization
                (id, client_id, account_id, participant, session_digest, scopes, authenticated_at, created_at, expires_at,
                 permission_changes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(new.id), SQLValue(new.clientID), SQLValue(new.accountID), SQLValue(patient),
                SQLValue(session?.digest), SQLValue(new.scopes.text), SQLValue(session?.createdAt),
                SQLValue(new.createdAt), SQLValue(new.expiresAt), new.carriesPermissions ? 0 : .null,
            ])
        guard
            let row = try transaction.first("SELECT * FROM access_authorization WHERE id = ?", [SQLValue(new.id)])
        else { throw StorageError(code: "storage-failed", message: "An authorization vanished.") }
        return try AccessAuthorization(row)
    }

    func insert(
        _ token: String, of authorization: AccessAuthorization, scopes: AccessScopes, expiresAt: Date,
        in transaction: any SQLTransaction
    ) throws {
        let id = SQLValue(authorization.id)
        try transaction.execute(
            """
            INSERT INTO bearer_token (token_digest, authorization_id, scopes, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                SQLValue(SecretDigest(of: token).hex), id, SQLValue(scopes.text), SQLValue(clock()),
                SQLValue(min(expiresAt, authorization.expiresAt)),
            ])
        try transaction.execute(
            """
            DELETE FROM bearer_token WHERE authorization_id = ? AND number <=
                (SELECT number FROM bearer_token WHERE authorization_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
            """, [id, id, SQLValue(Self.maximumAccessTokens)])
    }

    /// Removes expired authorizations and tokens. Nothing that depends on an authorization lasts longer than it.
    func removeEnded(in transaction: any SQLTransaction) throws {
        let now = SQLValue(clock())
        try transaction.execute("DELETE FROM bearer_token WHERE expires_at <= ?", [now])
        try Self.remove(authorizations: transaction.query(Self.endedSQL, [now]), in: transaction)
    }

    /// Removes authorizations with everything that was issued for them.
    ///
    /// - Parameter rows: rows with the columns `id` and, where they may carry permissions, `permission_changes`.
    static func remove(authorizations rows: [SQLRow], in transaction: any SQLTransaction) throws {
        for row in rows {
            let id = try row.text("id")
            // The people store has no table of permissions, and no authorization that carries them.
            let carried = row["permission_changes"] == .null ? [] : ["token_permission"]
            for table in carried + ["bearer_token", "refresh_token", "authorization_code"] {
                try transaction.execute("DELETE FROM \(table) WHERE authorization_id = ?", [SQLValue(id)])
            }
            try transaction.execute("DELETE FROM access_authorization WHERE id = ?", [SQLValue(id)])
        }
    }

    /// Ends all sessions and authorizations of clients. After a restore, codes and refresh tokens that were used since
    /// the backup would be valid again, as would everything that was revoked since.
    package static func endAuthorizations(in transaction: any SQLTransaction) throws {
        let tables = Set(try transaction.tableNames())
        for table in [
            "token_permission", "csi_token_code", "bearer_token", "refresh_token", "authorization_code",
            "access_authorization", "user_session",
        ] where tables.contains(table) {
            try transaction.execute("DELETE FROM \(table)")
        }
    }

    /// Parameters: client, account, number of authorizations to keep.
    static let surplusSQL = """
        SELECT id FROM access_authorization WHERE client_id = ? AND account_id = ?
        ORDER BY number DESC LIMIT 100 OFFSET ?
        """
    static let surplusOfServiceSQL = """
        SELECT id, permission_changes FROM access_authorization WHERE client_id = ? AND account_id IS NULL
        ORDER BY number DESC LIMIT 100 OFFSET ?
        """
    /// Parameter: now. The limit keeps the wait of other writers short.
    static let endedSQL = """
        SELECT id, permission_changes FROM access_authorization WHERE expires_at <= ? ORDER BY expires_at LIMIT 200
        """
}
