import Foundation
import Testing

@testable import Storage

@Suite("Bringing a store up to date", .timeLimit(.minutes(10)))
struct StoreMigrationTests {
    private func run(_ path: String, _ migrations: [Migration], label: String = "1") async throws
        -> StoreMigration.Report
    {
        let lock = try #require(try StoreLock(storePath: path))
        return try await StoreMigration.run(
            path: path, migrations: migrations, permissions: 0o600, lock: lock, label: label)
    }

    @Test func aNewStoreIsMadeAndAnOlderOneIsCopiedFirst() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let first = [MigrationTests.step(101)]
            let both = first + [MigrationTests.step(102)]
            #expect(try await run(path, first) == StoreMigration.Report(steps: [101], copy: nil))
            #expect(try await run(path, first) == StoreMigration.Report(steps: [], copy: nil))
            let report = try await run(path, both, label: "2026")
            #expect(report == StoreMigration.Report(steps: [102], copy: path + ".before-2026"))
            // The copy is the store as it was.
            let copy = try await SQLiteDatabase.open(path: path + ".before-2026", migrations: first, schema: .exact)
            try await copy.close()
            let store = try await SQLiteDatabase.open(path: path, migrations: both, schema: .exact)
            try await store.close()
        }
    }

    @Test func aStepThatFailsLeavesTheStoreAndItsCopyUsable() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let first = [MigrationTests.step(101)]
            _ = try await run(path, first)
            let broken = Migration(number: 102, name: "broken") { _ in ["CREATE TABLE half (id BIGINT)", "NONSENSE"] }
            await #expect(throws: StorageError.self) { _ = try await run(path, first + [broken]) }
            for store in [path, path + ".before-1"] {
                let database = try await SQLiteDatabase.open(path: store, migrations: first, schema: .exact)
                try await database.close()
            }
            // The same again after the fault was mended, with a copy of its own.
            let report = try await run(path, first + [MigrationTests.step(102, table: "half")], label: "2")
            #expect(report.steps == [102])
        }
    }

    @Test func whatANewerVersionWroteIsNeitherCopiedNorChanged() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            _ = try await run(path, [MigrationTests.step(101), MigrationTests.step(102)])
            let error = await #expect(throws: StorageError.self) {
                _ = try await run(path, [MigrationTests.step(101)])
            }
            #expect(error?.code == "storage-schema-newer")
            #expect(!FileManager.default.fileExists(atPath: path + ".before-1"))
        }
    }

    @Test func tooLittleRoomIsSaidBeforeAnythingIsDone() throws {
        try StoreMigration.requireSpace(1, besides: "/tmp/x")
        let error = #expect(throws: StorageError.self) {
            try StoreMigration.requireSpace(Int64.max, besides: "/tmp/x")
        }
        #expect(error?.code == "storage-full")
    }

    @Test func aStoresLockIsHeldByOneAtATime() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lock-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path + ".lock") }
        do {
            let lock = try #require(try StoreLock(storePath: path))
            #expect(try StoreLock(storePath: path) == nil)
            withExtendedLifetime(lock) {}
        }
        // It ends with its value; the file stays.
        #expect(FileManager.default.fileExists(atPath: path + ".lock"))
        let again = try StoreLock(storePath: path)
        #expect(again != nil)
        let error = #expect(throws: StorageError.self) { _ = try StoreLock(storePath: "/nowhere/at/all") }
        #expect(error?.code == "storage-open")
    }
}
