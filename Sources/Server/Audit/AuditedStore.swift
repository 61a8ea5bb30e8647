import Foundation
import Storage

/// A part of the records' store whose changes the policy decides and the audit records.
package protocol AuditedStore: Sendable {
    /// Audit of the same database.
    var audit: AuditLog { get }
}

extension AuditedStore {
    /// The records' store.
    package var database: any SQLDatabase { audit.database }
    /// Returns the current time.
    package var clock: @Sendable () -> Date { audit.clock }
    /// Returns a number of random bytes that are suitable for secrets.
    package var random: @Sendable (Int) -> [UInt8] { audit.random }
}
