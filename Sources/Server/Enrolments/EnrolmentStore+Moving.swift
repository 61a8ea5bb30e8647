import AccessPolicy
import Foundation
import Identity
import Storage

extension EnrolmentStore {
    /// Creates the secret of a one-time code that binds a participant's next device. This is the only time it is
    /// returned. Earlier codes of the participant end.
    ///
    /// - Parameter lifetime: seconds.
    /// - Returns: 26 characters of lowercase base32 (RFC 4648 section 6): 130 bits.
    /// - Throws: ``AccessError`` with the policy's reason.
    package func issueMoveCode(participant: String, by actor: Actor, lifetime: TimeInterval) async throws -> String {
        let now = clock()
        let secret = makeSecret()
        let digest = SecretDigest(of: secret).hex
        try await database.write { transaction in
            let target = Target(resourceType: "Contract", subject: participant)
            try requireEnrolments(actor, target, in: transaction)
            try transaction.execute(
                "DELETE FROM move_code WHERE participant = ? AND used_at IS NULL", [SQLValue(participant)])
            try transaction.execute(
                "INSERT INTO move_code (secret_digest, participant, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [
                    SQLValue(digest), SQLValue(participant), SQLValue(now),
                    SQLValue(now.addingTimeInterval(lifetime)),
                ])
        }
        return secret
    }

    /// Spends a code. A device that sends its Contract again is already bound and needs no code; one with a spent code
    /// and without a binding has lost the binding since.
    func useMoveCode(
        _ secret: String, participant: String, device: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        try spend(secret, in: "move_code", of: participant, device: device, transaction: transaction)
    }
}
