import AccessPolicy
import Audit
import Foundation
import Identity
import Storage
import Wire

/// One-time codes by which wallets are bound to Patients.
package struct WalletCodes: AuditedStore {
    package let audit: AuditLog

    /// Seconds until a code of the site expires: 7 days.
    package static let siteLifetime: TimeInterval = 604_800
    /// Seconds until a code expires that the person created: 15 minutes.
    package static let personLifetime: TimeInterval = 900

    /// Creates the store for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
    }

    /// Creates a code for the wallet of a Patient; this is the only time that it is returned. Earlier codes of the
    /// Patient that were not used end.
    ///
    /// - Parameters:
    ///   - patient: the id of the Patient.
    ///   - actor: the site, or the person.
    /// - Returns: 26 characters of lowercase base32 (RFC 4648 section 6), and the time at which the code expires.
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason; `participant-deleted`.
    package func create(forPatient patient: String, by actor: Actor) async throws -> (code: String, expiresAt: Date) {
        let now = clock()
        let end = now.addingTimeInterval(actor.role == .site ? Self.siteLifetime : Self.personLifetime)
        let code = OneTimeCode.make(random)
        try await database.write { transaction in
            try audit.require(
                actor, .createWalletCode,
                target: Target(resourceType: "Patient", resourceID: patient, subject: patient),
                message: "This account may not create a code for this person's wallet.", in: transaction)
            guard try !DeletionRegister().isDeleted(patient, in: transaction) else {
                throw AccessError(code: DeletionRegister.code, message: "This participant was deleted.")
            }
            try transaction.execute(
                "DELETE FROM wallet_code WHERE participant = ? AND used_at IS NULL", [SQLValue(patient)])
            try transaction.execute(
                "INSERT INTO wallet_code (secret_digest, participant, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [SQLValue(SecretDigest(of: code).hex), SQLValue(patient), SQLValue(now), SQLValue(end)])
        }
        return (code, end)
    }

    /// Returns the Patient of a code; nil if the code is unknown, was used or has expired.
    static func patient(of code: String, now: Date, in transaction: any SQLTransaction) throws -> String? {
        try OneTimeCode.row(of: code, in: "wallet_code", now: now, transaction: transaction)?.text("participant")
    }

    /// Records the use of a code by a csi.
    static func use(_ code: String, by csi: CsiGuid, now: Date, in transaction: any SQLTransaction) throws {
        try OneTimeCode.use(code, in: "wallet_code", by: csi.text, now: now, transaction: transaction)
    }
}
