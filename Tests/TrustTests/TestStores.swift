import Foundation
import Storage
import StorageTestSupport
import Submissions
import Synchronization
import Testing

@testable import Trust

/// A clock that the test sets.
final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) {
        seconds.withLock { $0 += interval }
    }
}

/// Passes an access control with the tables of the records store.
func withAccess(_ body: (AccessControl, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withTemporaryDatabase([.baseline(of: "records", TrustSchema.sections)]) { database async throws in
        let clock = TestClock()
        try await body(AccessControl(database: database, clock: { clock.now }), database, clock)
    }
}

/// Passes a device access with the tables of the queue store.
func withDevices(_ body: (DeviceAccess, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withTemporaryDatabase(SubmissionsSchema.migrations) { database async throws in
        let clock = TestClock()
        try await body(DeviceAccess(database: database, clock: { clock.now }), database, clock)
    }
}

extension AccessControl {
    func bind(
        _ device: String, to participant: String, isKnown: Bool = false, code: String? = nil
    ) async throws -> Decision {
        try await database.write { transaction in
            try self.bind(
                device: device, clientID: "client of \(device)", toParticipant: participant, isKnown: isKnown,
                moveCode: code, in: transaction)
        }
    }
}

extension SQLDatabase {
    /// Returns all contents of the tables as text.
    func contents(_ tables: [String]) async throws -> String {
        try await read { transaction in
            try tables.flatMap { table in
                try transaction.rowTexts(of: table)
            }.joined(separator: "\n")
        }
    }
}

let site = Actor(id: "account", role: .site)
