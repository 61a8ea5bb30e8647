import AccessPolicy
import Foundation
import Identity
import Storage

// Invitations by which devices enrol without a receipt. The store has a digest of the proof that a device sends, from
// which the code cannot be computed: a receiver cannot use the code for a consent.
extension DeviceAccess {
    /// Registers a device by an invitation and returns its new credentials; the only time the secret is returned.
    ///
    /// The first use spends the invitation. The same installation may register again, for instance because it did not
    /// receive the response; this replaces its earlier client.
    /// - Parameters:
    ///   - proof: the text by which the device proves that it has the code (`Wire.InvitationRegistration`).
    ///   - installation: the secret of the installation.
    /// - Throws: ``AccessError`` `invitation-refused`, without the reason: the invitation is unknown, expired, revoked
    ///   or used by another installation, or the study team has revoked the device.
    package func registerClient(
        invitation proof: String, installation: String
    ) async throws -> (clientID: String, clientSecret: String) {
        try await database.write { transaction in
            guard try spend(proof, by: installation, in: transaction),
                let credentials = try registerClient(ofDevice: Self.key(ofInvitation: proof), in: transaction)
            else { throw AccessError.invitationRefused }
            return credentials
        }
    }

    /// Inserts invitations.
    ///
    /// - Parameter proofs: the proofs of the codes (`Wire.InvitationRegistration`).
    package func addInvitations(_ proofs: [String], expiresAt: Date) async throws {
        let now = clock()
        try await database.write { transaction in
            for proof in proofs {
                try transaction.execute(
                    "INSERT INTO enrolment_invitation (secret_digest, created_at, expires_at) VALUES (?, ?, ?)",
                    [SQLValue(SecretDigest(of: proof).hex), SQLValue(now), SQLValue(expiresAt)])
            }
        }
    }

    /// Deletes invitations that no device has used.
    ///
    /// - Parameter proofs: the proofs of the codes; nil for all.
    /// - Returns: the proofs that were deleted if they are given, and the number of deleted invitations.
    package func revokeInvitations(_ proofs: [String]?) async throws -> (proofs: Set<String>, count: Int) {
        try await database.write { transaction in
            guard let proofs else {
                return ([], try transaction.execute("DELETE FROM enrolment_invitation WHERE used_at IS NULL"))
            }
            let deleted = try proofs.filter { proof in
                try transaction.execute(
                    "DELETE FROM enrolment_invitation WHERE secret_digest = ? AND used_at IS NULL",
                    [SQLValue(SecretDigest(of: proof).hex)]) > 0
            }
            return (Set(deleted), deleted.count)
        }
    }

    /// Returns whether an installation may register with an invitation, and records the first use.
    private func spend(
        _ proof: String, by installation: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        let now = clock()
        let user = SecretDigest(of: installation).hex
        if try OneTimeCode.row(of: proof, in: Self.invitationTable, now: now, transaction: transaction) != nil {
            try OneTimeCode.use(proof, in: Self.invitationTable, by: user, now: now, transaction: transaction)
            return true
        }
        let used = try transaction.first(
            "SELECT used_by FROM enrolment_invitation WHERE secret_digest = ? AND used_at IS NOT NULL",
            [SQLValue(SecretDigest(of: proof).hex)])
        return used?.textIfPresent("used_by").flatMap { SecretDigest(hex: $0) }?.matches(installation) ?? false
    }

    private static let invitationTable: StaticString = "enrolment_invitation"

    /// Returns the key of the enrolment of an invitation, which is the digest of no receipt.
    private static func key(ofInvitation proof: String) -> String { "invitation:\(SecretDigest(of: proof).hex)" }
}

extension AccessError {
    /// The refusal of an invitation, the same for each reason.
    package static let invitationRefused = AccessError(
        code: "invitation-refused",
        message: "The invitation is not valid, or was used by another installation; ask the study team for a new one.")
}
