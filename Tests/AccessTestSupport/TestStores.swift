import AccessPolicy
import Audit
import Foundation
import Identity
import Storage
import StorageTestSupport
import Synchronization

/// A clock that the test sets.
package final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600.0)

    package init() {}

    package var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    package func advance(_ interval: Double) {
        seconds.withLock { $0 += interval }
    }
}

/// Passes the stores that authenticate, with the tables of the records store.
package func withAccess(_ body: (AccessStores, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database async throws in
        let clock = TestClock()
        try await body(AccessStores(database: database, clock: { clock.now }), database, clock)
    }
}

extension SQLDatabase {
    /// Returns all contents of the tables as text.
    package func contents(_ tables: [String]) async throws -> String {
        try await read { transaction in
            try tables.flatMap { table in
                try transaction.rowTexts(of: table)
            }.joined(separator: "\n")
        }
    }
}

package let site = Actor(id: "account", role: .site)
