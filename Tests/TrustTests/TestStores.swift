import Foundation
import Storage
import Synchronization
import Testing

@testable import Trust

/// A clock that the test moves.
final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) {
        seconds.withLock { $0 += interval }
    }
}

/// A database that is gone when the test is.
func withStore(_ migrations: [Migration], _ body: (any SQLDatabase) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("trust-\(UUID().uuidString).db").path
    defer {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let database = try await SQLiteDatabase.open(path: path, migrations: migrations)
    try await body(database)
    try await database.close()
}

/// The records' side.
func withAccess(_ body: (AccessControl, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withStore(TrustSchema.migrations) { database async throws in
        let clock = TestClock()
        try await body(AccessControl(database: database, clock: { clock.now }), database, clock)
    }
}

/// The queue's side.
func withDevices(_ body: (DeviceAccess, any SQLDatabase, TestClock) async throws -> Void) async throws {
    try await withStore(StorageSchema.migrations) { database async throws in
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
    /// All that the tables hold, as text.
    func contents(_ tables: [String]) async throws -> String {
        try await read { transaction in
            try tables.flatMap { table in
                let columns = try transaction.query("PRAGMA table_info(\(table))").map { try $0.text("name") }
                return try transaction.query("SELECT * FROM \(table)").map { row in
                    columns.map { "\($0)=\(row[$0])" }.joined(separator: " ")
                }
            }.joined(separator: "\n")
        }
    }
}

let site = Actor(id: "account", role: .site)
