import AccessPolicy
import Audit
import Foundation
import Storage

/// Enrolments in the records' store: bindings of devices to participants, signing keys, and one-time codes.
package struct EnrolmentStore: AuditedStore {
    package let audit: AuditLog

    /// Creates the store for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
    }

    /// Creates the store and its audit.
    ///
    /// - Parameter clock: returns the current time.
    package init(database: any SQLDatabase, clock: @escaping @Sendable () -> Date) {
        self.init(audit: AuditLog(database: database, clock: clock))
    }

    /// Decides whether an actor may manage enrolments, and writes the audit row.
    func requireEnrolments(_ actor: Actor, _ target: Target, in transaction: any SQLTransaction) throws {
        try audit.require(
            actor, .manageEnrolments, target: target, message: "This account may not manage enrolments.",
            in: transaction)
    }
}
