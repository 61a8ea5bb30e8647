import AccessPolicy
import Foundation
import Identity
import Storage

/// Requirement for a new participant.
package enum Invitation: Sendable, Hashable {
    /// No invitation.
    case notRequired
    /// A one-time code of the study team, with its secret from the Contract; nil if the Contract contains none.
    case required(secret: String?)
}

extension EnrolmentStore {
    /// Creates the secrets of one-time codes for new participants. This is the only time they are returned.
    ///
    /// - Parameter lifetime: seconds.
    /// - Returns: secrets of 26 characters of lowercase base32 (RFC 4648 section 6), and the time at which they expire.
    /// - Throws: ``AccessError`` with the policy's reason.
    package func issueInvitations(
        count: Int, by actor: Actor, lifetime: TimeInterval
    ) async throws -> (secrets: [String], expiresAt: Date) {
        let now = clock()
        let expiresAt = now.addingTimeInterval(lifetime)
        let secrets = (0..<count).map { _ in makeSecret() }
        try await database.write { transaction in
            try requireEnrolments(actor, Target(resourceType: "Contract"), in: transaction)
            for secret in secrets {
                try transaction.execute(
                    "INSERT INTO invitation (secret_digest, created_at, expires_at) VALUES (?, ?, ?)",
                    [SQLValue(SecretDigest(of: secret).hex), SQLValue(now), SQLValue(expiresAt)])
            }
        }
        return (secrets, expiresAt)
    }

    /// Deletes codes for new participants that were not used.
    ///
    /// - Parameter secrets: the secrets; nil for all.
    /// - Returns: the secrets that were deleted if they are given, and the number of deleted codes.
    /// - Throws: ``AccessError`` with the policy's reason.
    package func revokeInvitations(
        _ secrets: [String]?, by actor: Actor
    ) async throws -> (secrets: Set<String>, count: Int) {
        try await database.write { transaction in
            try requireEnrolments(actor, Target(resourceType: "Contract"), in: transaction)
            guard let secrets else {
                return ([], try transaction.execute("DELETE FROM invitation WHERE used_at IS NULL"))
            }
            let deleted = try secrets.filter { secret in
                try transaction.execute(
                    "DELETE FROM invitation WHERE secret_digest = ? AND used_at IS NULL",
                    [SQLValue(SecretDigest(of: secret).hex)]) > 0
            }
            return (Set(deleted), deleted.count)
        }
    }

    /// Returns the reason why a device may not begin; nil if it may, and then the code is spent.
    func refusal(
        of invitation: Invitation, device: String, in transaction: any SQLTransaction
    ) throws -> Decision? {
        guard case .required(let secret) = invitation else { return nil }
        guard let secret else { return .denied("invitation-required") }
        return try spend(secret, in: "invitation", device: device, transaction: transaction)
            ? nil : .denied("invitation-refused")
    }
}
