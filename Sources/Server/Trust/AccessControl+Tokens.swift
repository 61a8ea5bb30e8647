import Foundation
import Storage

extension AccessControl {
    /// Gives a device an access token for so many seconds, the only time it is seen, and forgets those that expired.
    ///
    /// Throws ``TrustError``: `not-a-device`, `client-revoked`, or the reason of the policy's refusal.
    public func issueToken(
        for actor: Actor, lifetime: TimeInterval
    ) async throws -> (token: String, expiresAt: Date) {
        guard actor.role == .device else {
            throw TrustError(
                code: "not-a-device", message: "Access tokens are for devices; staff tokens are made apart."
            )
        }
        let now = clock()
        let expiresAt = now.addingTimeInterval(lifetime)
        let token = String.newSecret(random)
        try await database.write { transaction in
            let target = Target(resourceType: "Client", resourceID: actor.id)
            let decision = try decide(actor, .issueToken, target, in: transaction)
            guard decision.allowed else {
                throw TrustError(code: decision.reason, message: "This client gets no access token.")
            }
            // The client may have been replaced since it proved its secret.
            guard
                let client = try transaction.first(
                    "SELECT enrolment_id FROM client WHERE id = ? AND revoked_at IS NULL",
                    [SQLValue(actor.id)])
            else {
                throw TrustError(
                    code: "client-revoked", message: "The client was replaced by a new registration.")
            }
            try transaction.execute("DELETE FROM access_token WHERE expires_at <= ?", [SQLValue(now)])
            try transaction.execute(
                "INSERT INTO access_token (token_digest, client_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [
                    SQLValue(SecretDigest(of: token).hex), SQLValue(actor.id), SQLValue(now),
                    SQLValue(expiresAt),
                ])
            try transaction.execute(
                "UPDATE enrolment SET last_seen_at = ? WHERE id = ?",
                [SQLValue(now), client["enrolment_id"]])
        }
        return (token, expiresAt)
    }

    /// Makes a token for a member of the study team, the only time it is seen. Without a lifetime it does not expire.
    public func createStaffToken(name: String? = nil, lifetime: TimeInterval? = nil) async throws
        -> String
    {
        let now = clock()
        let token = String.newSecret(random)
        let id = newID()
        _ = try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO staff_token (token_digest, id, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(SecretDigest(of: token).hex), SQLValue(id), SQLValue(name), SQLValue(now),
                    SQLValue(lifetime.map { now.addingTimeInterval($0) }),
                ])
        }
        return token
    }

    /// Who has this bearer token; nil if it is unknown, expired or revoked.
    public func authenticate(bearer token: String) async throws -> Actor? {
        // Looked up by its digest: the time that takes tells nothing about the token.
        let digest = SQLValue(SecretDigest(of: token).hex)
        let now = SQLValue(clock())
        return try await database.read { transaction in
            if let row = try transaction.first(Self.tokenSQL, [digest, now]) {
                return try Self.actor(row)
            }
            let staff = try transaction.first(
                "SELECT id FROM staff_token WHERE token_digest = ? AND (expires_at IS NULL OR expires_at > ?)",
                [digest, now])
            return try staff.map { Actor(id: try $0.text("id"), role: .staff) }
        }
    }

    /// Parameters: digest, now.
    private static let tokenSQL = """
        SELECT c.id, c.enrolment_id, e.participant FROM access_token t JOIN client c ON c.id = t.client_id
        JOIN enrolment e ON e.id = c.enrolment_id
        WHERE t.token_digest = ? AND t.expires_at > ? AND c.revoked_at IS NULL
        """
}
