import Foundation
import TestSupport
import Testing

@testable import Storage

/// The contents of the log are written to the database's file while others write.
@Suite(.timeLimit(.minutes(10)))
struct SQLiteCheckpointsTests {
    private static let table = Migration(number: 900, name: "things") { dialect in
        ["CREATE TABLE thing (number \(dialect.rowNumber) PRIMARY KEY NOT NULL, body \(dialect.blob))"]
    }

    private func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    }

    private func write(_ count: Int, megabytesEach: Int, to database: SQLiteDatabase) async throws {
        for _ in 0..<count {
            _ = try await database.write { transaction in
                try transaction.execute(
                    "INSERT INTO thing (body) VALUES (?)", [SQLValue(Data(count: megabytesEach << 20))])
            }
        }
    }

    @Test func aFullLogIsBroughtIntoTheFileWhileTheDatabaseIsOpen() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(path: path, migrations: [Self.table])
            try await write(8, megabytesEach: 1, to: database)
            #expect(try size(path) < 4 << 20, "nothing is brought before the log is full")
            try await write(16, megabytesEach: 1, to: database)
            // SQLite itself would wait until the log has 64 MB.
            #expect(try await eventually { try size(path) > 16 << 20 })
            var written = 24
            for _ in 0..<5 {
                try await write(20, megabytesEach: 1, to: database)
                written += 20
                #expect(try await eventually { try size(path) > (written - 22) << 20 })
            }
            // The log was restarted meanwhile.
            #expect(try size(path + "-wal") < 100 << 20)
            try await database.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            let again = try await SQLiteDatabase.open(path: path, migrations: [Self.table])
            let count = try await again.read { try $0.first("SELECT count(*) AS n FROM thing")?.integer("n") }
            #expect(count == Int64(written))
            try await again.close()
        }
    }

    /// A database may be closed, and its file removed, at any moment of a checkpoint.
    @Test func closeWaitsForTheRunningCheckpoint() async throws {
        for _ in 0..<4 {
            try await withTemporaryFolder { folder async throws in
                let path = folder + "/s.db"
                let database = try await SQLiteDatabase.open(path: path, migrations: [Self.table])
                try await write(19, megabytesEach: 1, to: database)
                try await database.close()
                #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
                #expect(try size(path) > 18 << 20)
                try SQLiteDatabase.settle(path: path)
            }
        }
    }

    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        let end = Patience.deadline
        while ContinuousClock.now < end {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
