import AccessPolicy
import Audit
import Core
import FHIR
import Foundation
import RecordStorage
import Storage
import Wire

/// The permissions that people give, with their Consents. Each function works in the transaction of its caller.
package struct PermissionStore: Sendable {
    /// Returns a number of random bytes, for ids.
    let random: @Sendable (Int) -> [UInt8]
    let policy: Policy
    let clock: @Sendable () -> Date
    let records = RecordStore()

    /// Maximum number of permissions in a list.
    package static let maximumListed = 10_000
    /// Maximum number of permissions of a Patient that have neither ended nor expired.
    package static let maximumActive = 10_000

    /// - Parameters:
    ///   - clock: returns the current time, for the end of a csi.
    ///   - random: returns a number of random bytes that are suitable for ids.
    package init(
        policy: Policy = Policy(), clock: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
    ) {
        self.policy = policy
        self.clock = clock
        self.random = random
    }

    /// Creates the store with the policy, the clock and the random numbers of an audit.
    package init(audit: AuditLog) {
        self.init(policy: audit.policy, clock: audit.clock, random: audit.random)
    }

    /// Returns the permission with an id, also one that has ended; nil if there is none.
    package func permission(_ id: String, in transaction: any SQLTransaction) throws -> GrantedPermission? {
        try transaction.first(Self.byID, [SQLValue(id)]).map { try GrantedPermission($0) }
    }

    /// Returns the signed request with an id; nil if there is none.
    package func request(_ id: String, in transaction: any SQLTransaction) throws -> StoredPermissionRequest? {
        try transaction.first(StoredPermissionRequest.sql, [SQLValue(id)]).map { try StoredPermissionRequest($0) }
    }

    /// Parameter: id.
    static let byID = "SELECT * FROM access_permission WHERE id = ?"

    /// The origin of the records of permissions.
    ///
    /// - Parameter client: the csi or the account that gave or ended them.
    static func provenance(_ client: String, at: Date) -> RecordProvenance {
        RecordProvenance(
            submissionID: RecordProvenance.permissionSubmissionID, clientID: client, keyID: nil, receivedAt: at)
    }
}
