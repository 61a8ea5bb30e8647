import AccessPolicy
import Audit
import Foundation
import Storage

/// The stores of one records' database that authenticate callers, and its audit.
package struct AccessStores: Sendable {
    package let audit: AuditLog
    package let accounts: AccountStore
    package let clients: ClientStore
    package let authorizations: AuthorizationStore
    package let tokens: TokenStore

    /// Creates the audit of a records' database and its stores.
    ///
    /// - Parameters:
    ///   - clock: returns the current time.
    ///   - random: returns a number of random bytes that are suitable for secrets.
    package init(
        database: any SQLDatabase, policy: Policy = Policy(), clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
    ) {
        self.init(audit: AuditLog(database: database, policy: policy, clock: clock, random: random))
    }

    /// Creates the stores for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
        accounts = AccountStore(audit: audit)
        clients = ClientStore(audit: audit)
        authorizations = AuthorizationStore(audit: audit)
        tokens = TokenStore(audit: audit)
    }
}
