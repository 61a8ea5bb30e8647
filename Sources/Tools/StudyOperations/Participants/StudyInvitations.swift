import AccessPolicy
import Enrolments
import Foundation
import Storage
import Wire

/// The one-time codes for new participants of a study.
///
/// A code is stored as a digest in the records, for consents, and if devices enrol by invitation, as the digest of its
/// proof in the queue's store, where the receiver finds it. Each of the two uses is possible once.
package struct StudyInvitations: Sendable {
    private let records: EnrolmentStore
    private let devices: DeviceAccess?

    /// - Parameters:
    ///   - queue: the queue's store; nil if the study's devices do not enrol by invitation.
    ///   - clock: returns the current time.
    package init(
        records: any SQLDatabase, queue: (any SQLDatabase)?, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.records = EnrolmentStore(database: records, clock: clock)
        devices = queue.map { DeviceAccess(database: $0, clock: clock) }
    }

    /// Creates codes. This is the only time they are returned.
    ///
    /// - Parameter lifetime: seconds.
    /// - Throws: ``AccessError`` with the policy's reason; ``StorageError``. Codes that were not returned are unknown to
    ///   everyone.
    package func issue(
        count: Int, by actor: Actor, lifetime: TimeInterval
    ) async throws -> (codes: [String], expiresAt: Date) {
        let (codes, expiresAt) = try await records.issueInvitations(count: count, by: actor, lifetime: lifetime)
        try await devices?.addInvitations(codes.map(InvitationRegistration.proof), expiresAt: expiresAt)
        return (codes, expiresAt)
    }

    /// Revokes codes: they enrol no device and begin no participation any more. A use that has happened remains.
    ///
    /// - Parameter codes: the codes; nil for all.
    /// - Returns: the number of codes of which a use was still possible.
    /// - Throws: ``AccessError`` with the policy's reason; ``StorageError``.
    package func revoke(_ codes: [String]?, by actor: Actor) async throws -> Int {
        let codes = codes.map { Array(Set($0)) }
        let proofs = codes?.map(InvitationRegistration.proof)
        // The records' store decides whether the actor may.
        let participations = try await records.revokeInvitations(codes, by: actor)
        guard let devices else { return participations.count }
        let enrolments = try await devices.revokeInvitations(proofs)
        guard let codes else { return max(participations.count, enrolments.count) }
        let revoked = codes.filter {
            participations.secrets.contains($0) || enrolments.proofs.contains(InvitationRegistration.proof(of: $0))
        }
        return revoked.count
    }
}
