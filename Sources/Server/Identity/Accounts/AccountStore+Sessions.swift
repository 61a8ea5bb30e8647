import AccessPolicy
import Foundation
import Storage

extension AccountStore {
    /// Maximum number of sessions of a person; the oldest end first.
    static let maximumSessions = 20

    /// Signs a person in.
    ///
    /// - Parameters:
    ///   - lifetime: seconds.
    ///   - origin: origin of the password, which determines the order of the checks.
    /// - Returns: the secret of the session, the only time it is returned; nil if name or password are wrong, or the
    ///   account is disabled.
    /// - Throws: ``PasswordQueueError`` if too many checks wait.
    package func signIn(
        username: String, password: String, lifetime: TimeInterval, checker: PasswordChecker,
        from origin: PasswordChecker.Origin, cost: PasswordHash.Cost = .standard
    ) async throws -> String? {
        let secret = String.newSecret(random)
        let now = clock()
        return try await authenticate(
            username: username, password: password, checker: checker, from: origin, cost: cost
        ) { account, transaction in
            guard try audit.decide(account.actor, action: .signIn, target: Target(), in: transaction).allowed else {
                return nil
            }
            try transaction.execute("DELETE FROM user_session WHERE expires_at <= ?", [SQLValue(now)])
            let surplus = try transaction.query(Self.surplusSessionsSQL, [SQLValue(account.id)])
            for row in surplus {
                try transaction.execute(
                    "DELETE FROM user_session WHERE session_digest = ?", [row["session_digest"]])
            }
            try transaction.execute(
                "INSERT INTO user_session (session_digest, account_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [
                    SQLValue(SecretDigest(of: secret).hex), SQLValue(account.id), SQLValue(now),
                    SQLValue(now.addingTimeInterval(lifetime)),
                ])
            return secret
        }
    }

    /// Returns the session with a secret; nil if it has ended.
    package func session(_ secret: String) async throws -> UserSession? {
        let digest = SecretDigest(of: secret).hex
        let now = SQLValue(clock())
        return try await database.lookUp { transaction in
            guard let row = try transaction.first(Self.sessionSQL, [SQLValue(digest), now]),
                let account = try Self.account(id: row.text("account_id"), in: transaction)
            else { return nil }
            return UserSession(
                account: account, createdAt: try row.date("created_at"), expiresAt: try row.date("expires_at"),
                digest: digest)
        }
    }

    /// Ends a session.
    package func signOut(_ secret: String) async throws {
        let digest = SQLValue(SecretDigest(of: secret).hex)
        try await database.write { transaction in
            _ = try transaction.execute("DELETE FROM user_session WHERE session_digest = ?", [digest])
        }
    }

    /// Parameters: digest, now.
    static let sessionSQL = "SELECT * FROM user_session WHERE session_digest = ? AND expires_at > ?"
    /// Sessions that end when a new one begins. Parameter: id of the account.
    static let surplusSessionsSQL = """
        SELECT session_digest FROM user_session WHERE account_id = ?
        ORDER BY created_at DESC LIMIT 100 OFFSET \(maximumSessions - 1)
        """
}
