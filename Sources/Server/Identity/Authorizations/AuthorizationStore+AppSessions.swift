import AccessPolicy
import Foundation
import Storage

/// Account that an access token of an app session belongs to.
package struct AppSession: Sendable, Hashable {
    /// Id of the authorization, which all tokens of the session have in common.
    package let id: String
    package let account: UserAccount
}

// A session of a person in an app of their own: the app has the password and needs no redirect. It is an authorization of
// one client that all such apps share, with access and refresh tokens as others have them.
extension AuthorizationStore {
    /// The id of the client that the apps share.
    static let appClient = "account-app"
    /// Scope of the authorization: it may be refreshed. It gives no access to records.
    private static let appScopes = AccessScopes(known: [AccessScope("offline_access")])

    /// Registers the client that the apps share.
    package static func registerAppClient(at now: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO registered_client (id, name, scopes, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """, [SQLValue(appClient), "Apps of account holders", SQLValue(appScopes.text), SQLValue(now)])
    }

    /// Begins a session as part of a transaction.
    ///
    /// - Parameters:
    ///   - lifetime: seconds until the access token expires.
    ///   - end: seconds until the session ends if it is not refreshed.
    package func beginAppSession(
        of account: UserAccount, with new: NewTokens, lifetime: TimeInterval, end: TimeInterval,
        in transaction: any SQLTransaction
    ) throws -> IssuedTokens {
        let authorization = try insert(
            newAuthorization(
                of: Self.appClient, account: account.id, scopes: Self.appScopes,
                expiresAt: clock().addingTimeInterval(end)),
            limit: Self.maximumAuthorizations, in: transaction)
        return try issue(
            new, of: Held(authorization: authorization, account: account, session: nil), scopes: Self.appScopes,
            nonce: nil, lifetime: lifetime, in: transaction)
    }

    /// Exchanges a refresh token of a session for new tokens (RFC 9700 section 4.14.2).
    ///
    /// - Parameter grace: seconds for which a used token is still valid, because the answer can be lost.
    /// - Throws: ``RedemptionRefusal``. Presenting a used token after the grace period ends the session.
    package func refreshAppSession(
        _ token: String, lifetime: TimeInterval, end: TimeInterval, grace: TimeInterval
    ) async throws -> IssuedTokens {
        guard let client = try await database.lookUp({ try ClientStore.client(Self.appClient, in: $0) }) else {
            throw RedemptionRefusal.unknown
        }
        return try await refresh(
            token, client: client, asking: nil, lifetime: lifetime, grace: grace, extendingBy: end)
    }

    /// Returns the session that an access token belongs to; nil if the token is not valid.
    package func appSession(accessToken: String, in transaction: any SQLTransaction) throws -> AppSession? {
        let now = SQLValue(clock())
        guard
            let row = try transaction.first(
                Self.appSessionSQL, [SQLValue(SecretDigest(of: accessToken).hex), now, now, SQLValue(Self.appClient)]),
            let account = try row.textIfPresent("account_id").flatMap({
                try AccountStore.account(id: $0, in: transaction)
            })
        else { return nil }
        return AppSession(id: try row.text("id"), account: account)
    }

    /// Parameters: digest, now, now, client.
    static let appSessionSQL = """
        SELECT a.id, a.account_id FROM bearer_token t JOIN access_authorization a ON a.id = t.authorization_id
        WHERE t.token_digest = ? AND t.expires_at > ? AND a.expires_at > ? AND a.revoked_at IS NULL AND a.client_id = ?
        """
}
