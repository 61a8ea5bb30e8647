import AccessPolicy
import Core
import Crypto
import Foundation
import Storage

/// Reason why no token is issued (RFC 6749 section 5.2): `invalid_grant` for all but the last.
package enum RedemptionRefusal: CodedError, Hashable {
    /// It was never issued, has expired, or belongs to another client.
    case unknown
    /// It was used before. Everything that was issued for it is revoked, because two parties have it.
    case reused
    /// It was issued for a different request.
    case otherRequest
    /// None of the requested scopes is approved.
    case scope

    package var code: String {
        switch self {
        case .unknown: "grant-unknown"
        case .reused: "grant-reused"
        case .otherRequest: "grant-of-another-request"
        case .scope: "scope-refused"
        }
    }

    package var message: String {
        switch self {
        case .unknown: "The code or token is unknown, has ended, or was given to another client."
        case .reused: "It was used before, so all tokens issued for it are revoked. Start a new authorization."
        case .otherRequest: "The redirect_uri or the code_verifier is not the one of the request."
        case .scope: "None of these scopes was approved."
        }
    }
}

extension AuthorizationStore {
    /// Maximum number of refresh tokens that are stored for an authorization, including used ones.
    static let maximumRefreshTokens = 100

    private enum Redemption: Sendable {
        case issued(IssuedTokens)
        case refused(RedemptionRefusal)

        func get() throws -> IssuedTokens {
            switch self {
            case .issued(let tokens): return tokens
            case .refused(let refusal): throw refusal
            }
        }
    }

    /// New secrets, generated before the transaction because that may run twice.
    package struct NewTokens: Sendable {
        let access: String
        let refresh: String
    }

    /// Returns new secrets.
    package func newTokens() -> NewTokens {
        NewTokens(access: String.newSecret(random), refresh: String.newSecret(random))
    }

    /// Exchanges a code for tokens, once (RFC 6749 section 4.1.3, RFC 7636 section 4.6).
    ///
    /// - Throws: ``RedemptionRefusal``. Presenting a used code revokes everything that was issued for it.
    package func redeem(
        code: String, client: RegisteredClient, redirectURI: String, verifier: String, lifetime: TimeInterval
    ) async throws -> IssuedTokens {
        let digest = SQLValue(SecretDigest(of: code).hex)
        let challenge = Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
        let new = newTokens()
        let now = clock()
        return try await database.write { transaction -> Redemption in
            guard let row = try transaction.first(Self.codeSQL, [digest]),
                let held = try authorization(row.text("authorization_id"), of: client, in: transaction)
            else { return .refused(.unknown) }
            guard row["used_at"] == .null else {
                try revoke(held.authorization.id, in: transaction)
                return .refused(.reused)
            }
            guard try row.date("expires_at") > now else { return .refused(.unknown) }
            guard try row.text("redirect_uri") == redirectURI,
                SecretDigest.equal(challenge.utf8, try row.text("challenge").utf8)
            else { return .refused(.otherRequest) }
            try transaction.execute(
                "UPDATE authorization_code SET used_at = ? WHERE code_digest = ?", [SQLValue(now), digest])
            return .issued(
                try issue(
                    new, of: held, scopes: held.authorization.scopes, nonce: row.textIfPresent("nonce"),
                    lifetime: lifetime, in: transaction))
        }.get()
    }

    /// Exchanges a refresh token for new tokens, once (RFC 6749 section 6; RFC 9700 section 4.14).
    ///
    /// - Parameters:
    ///   - asked: scopes of the new access token; nil for all approved scopes.
    ///   - grace: seconds for which a used token is still valid.
    ///   - extension: seconds after which the authorization ends if it is not refreshed again; nil to keep its end.
    /// - Throws: ``RedemptionRefusal``. Presenting a used token revokes everything that was issued for it.
    package func refresh(
        _ token: String, client: RegisteredClient, asking asked: AccessScopes?, lifetime: TimeInterval,
        grace: TimeInterval = 0, extendingBy extension: TimeInterval? = nil
    ) async throws -> IssuedTokens {
        let digest = SQLValue(SecretDigest(of: token).hex)
        let new = newTokens()
        let now = clock()
        return try await database.write { transaction -> Redemption in
            guard let row = try transaction.first(Self.refreshSQL, [digest]),
                var held = try authorization(row.text("authorization_id"), of: client, in: transaction)
            else { return .refused(.unknown) }
            let usedAt = row.dateIfPresent("used_at")
            if let usedAt, now.timeIntervalSince(usedAt) >= grace {
                try revoke(held.authorization.id, in: transaction)
                return .refused(.reused)
            }
            guard try isSignedIn(held, in: transaction) else { return .refused(.unknown) }
            let approved = held.authorization.scopes
            let scopes = try asked.map { try $0.narrowed(to: approved) } ?? approved
            guard !scopes.permitNothing else { return .refused(.scope) }
            try transaction.execute(
                "UPDATE refresh_token SET used_at = COALESCE(used_at, ?) WHERE token_digest = ?",
                [SQLValue(now), digest])
            if let `extension` {
                try transaction.execute(
                    "UPDATE access_authorization SET expires_at = ? WHERE id = ?",
                    [SQLValue(now.addingTimeInterval(`extension`)), SQLValue(held.authorization.id)])
                held = try authorization(held.authorization.id, of: client, in: transaction) ?? held
            }
            return .issued(try issue(new, of: held, scopes: scopes, nonce: nil, lifetime: lifetime, in: transaction))
        }.get()
    }

    /// Revokes a token of a client: an access token by itself, a refresh token with its whole authorization (RFC 7009
    /// section 2.1). A token that is unknown or belongs to another client is not changed.
    package func revoke(token: String, of client: RegisteredClient) async throws {
        let digest = SQLValue(SecretDigest(of: token).hex)
        try await database.write { transaction in
            if let row = try transaction.first(Self.refreshSQL, [digest]) {
                let id = try row.text("authorization_id")
                guard try authorization(id, of: client, in: transaction) != nil else { return }
                try revoke(id, in: transaction)
            } else if let row = try transaction.first(Self.accessSQL, [digest]),
                try authorization(row.text("authorization_id"), of: client, in: transaction) != nil
            {
                try transaction.execute("DELETE FROM bearer_token WHERE token_digest = ?", [digest])
            }
        }
    }

    /// Returns the information about a client's own token; nil if the token is not valid or belongs to another client.
    package func information(of token: String, client: RegisteredClient) async throws -> TokenInformation? {
        let text = SecretDigest(of: token).hex
        let digest = SQLValue(text)
        let now = clock()
        return try await database.lookUp { transaction in
            if let row = try transaction.first(Self.accessSQL, [digest]) {
                guard try row.date("expires_at") > now,
                    let held = try authorization(row.text("authorization_id"), of: client, in: transaction)
                else { return nil }
                var scopes = try AccessScopes(row.text("scopes"))
                if held.authorization.carriesPermissions {
                    // Some of them may have ended since.
                    guard let bearer = try Self.bearer(accessToken: text, like: nil, now: now, in: transaction) else {
                        return nil
                    }
                    scopes = try bearer.grant.listedScopes(at: now)
                }
                return TokenInformation(
                    scopes: scopes, createdAt: try row.date("created_at"),
                    expiresAt: try row.date("expires_at"), authorization: held.authorization, account: held.account)
            }
            guard let row = try transaction.first(Self.refreshSQL, [digest]), row["used_at"] == .null,
                let held = try authorization(row.text("authorization_id"), of: client, in: transaction),
                try isSignedIn(held, in: transaction)
            else { return nil }
            return TokenInformation(
                scopes: held.authorization.scopes, createdAt: try row.date("created_at"),
                expiresAt: held.authorization.expiresAt, authorization: held.authorization, account: held.account)
        }
    }

    static let codeSQL = "SELECT * FROM authorization_code WHERE code_digest = ?"
    static let refreshSQL = "SELECT * FROM refresh_token WHERE token_digest = ?"
    static let accessSQL = "SELECT * FROM bearer_token WHERE token_digest = ?"
}

extension AuthorizationStore {
    /// A valid authorization and the person who gave it.
    struct Held {
        let authorization: AccessAuthorization
        let account: UserAccount?
        let session: String?
    }

    /// Returns the authorization if it belongs to the client and is valid, and the person's account is active.
    private func authorization(
        _ id: String, of client: RegisteredClient, in transaction: any SQLTransaction
    ) throws -> Held? {
        guard
            let row = try transaction.first(
                "SELECT * FROM access_authorization WHERE id = ? AND revoked_at IS NULL AND expires_at > ?",
                [SQLValue(id), SQLValue(clock())])
        else { return nil }
        let authorization = try AccessAuthorization(row)
        guard authorization.clientID == client.id else { return nil }
        let account = try authorization.accountID.flatMap { try AccountStore.account(id: $0, in: transaction) }
        guard authorization.accountID == nil || account != nil else { return nil }
        return Held(
            authorization: authorization, account: account, session: row.textIfPresent("session_digest"))
    }

    /// Whether refreshing is still permitted: with `online_access` only while the person is signed in.
    private func isSignedIn(_ held: Held, in transaction: any SQLTransaction) throws -> Bool {
        guard !held.authorization.scopes.contains(.offlineAccess), let session = held.session else { return true }
        return try transaction.first(AccountStore.sessionSQL, [SQLValue(session), SQLValue(clock())]) != nil
    }

    /// Ends an authorization and everything that was issued for it.
    package func revoke(_ id: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE access_authorization SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [SQLValue(clock()), SQLValue(id)])
        try transaction.execute("DELETE FROM bearer_token WHERE authorization_id = ?", [SQLValue(id)])
    }

    func issue(
        _ new: NewTokens, of held: Held, scopes: AccessScopes, nonce: String?, lifetime: TimeInterval,
        in transaction: any SQLTransaction
    ) throws -> IssuedTokens {
        let authorization = held.authorization
        let end = min(authorization.expiresAt, clock().addingTimeInterval(lifetime))
        try removeEnded(in: transaction)
        try insert(new.access, of: authorization, scopes: scopes, expiresAt: end, in: transaction)
        let isRefreshed = authorization.scopes.permitRefreshing
        if isRefreshed {
            let id = SQLValue(authorization.id)
            try transaction.execute(
                "INSERT INTO refresh_token (token_digest, authorization_id, created_at) VALUES (?, ?, ?)",
                [SQLValue(SecretDigest(of: new.refresh).hex), id, SQLValue(clock())])
            try transaction.execute(
                """
                DELETE FROM refresh_token WHERE authorization_id = ? AND number <=
                    (SELECT number FROM refresh_token WHERE authorization_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?)
                """, [id, id, SQLValue(Self.maximumRefreshTokens)])
        }
        return IssuedTokens(
            accessToken: new.access, expiresAt: end, scopes: scopes, refreshToken: isRefreshed ? new.refresh : nil,
            authorization: authorization, nonce: nonce, account: held.account)
    }
}
