import Foundation
import Storage

/// What a study asks of somebody who begins.
public enum Invitation: Sendable, Hashable {
    /// Nothing.
    case notRequired
    /// A one-time code of the study team; its secret as the Contract carries it, nil where it carries none.
    case required(secret: String?)
}

extension AccessControl {
    /// Makes the secrets of one-time codes by which participants begin, the only time they are seen.
    ///
    /// - Parameter lifetime: seconds.
    /// - Returns: each 26 characters of lower-case base32 (RFC 4648 section 6), and when they end.
    /// - Throws: ``TrustError`` with the policy's reason.
    public func issueInvitations(
        count: Int, by actor: Actor, lifetime: TimeInterval
    ) async throws -> (secrets: [String], expiresAt: Date) {
        let now = clock()
        let expiresAt = now.addingTimeInterval(lifetime)
        let secrets = (0..<count).map { _ in makeSecret() }
        try await database.write { transaction in
            let decision = try decide(actor, .manageEnrolments, Target(resourceType: "Contract"), in: transaction)
            guard decision.allowed else {
                throw TrustError(code: decision.reason, message: "This account may not manage enrolments.")
            }
            for secret in secrets {
                try transaction.execute(
                    "INSERT INTO invitation (secret_digest, created_at, expires_at) VALUES (?, ?, ?)",
                    [SQLValue(SecretDigest(of: secret).hex), SQLValue(now), SQLValue(expiresAt)])
            }
        }
        return (secrets, expiresAt)
    }

    /// Why somebody may not begin; nil where they may, and then the code is spent.
    func refusal(
        of invitation: Invitation, device: String, in transaction: any SQLTransaction
    ) throws -> Decision? {
        guard case .required(let secret) = invitation else { return nil }
        guard let secret else { return .denied("invitation-required") }
        return try spend(secret, in: "invitation", device: device, transaction: transaction)
            ? nil : .denied("invitation-refused")
    }
}
