import Foundation
import TestSupport
import Testing

@testable import Storage

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
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
            // The copy is the store in its former state.
            let copy = try await SQLiteDatabase.open(path: path + ".before-2026", migrations: first, schema: .exact)
            try await copy.close()
            let store = try await SQLiteDatabase.open(path: path, migrations: both, schema: .exact)
            try await store.close()
        }
    }

    @Test func failedStepLeavesTheStoreUnchanged() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let first = [MigrationTests.step(101)]
            _ = try await run(path, first)
            let broken = Migration(number: 102, name: "broken") { _ in ["CREATE TABLE half (id BIGINT)", "NONSENSE"] }
            await #expect(throws: StorageError.self) { _ = try await run(path, first + [broken]) }
            let database = try await SQLiteDatabase.open(path: path, migrations: first, schema: .exact)
            try await database.close()
            #expect(try copies(folder) == [], "the store itself is what a copy would be")
            // A copy is kept if an earlier step was done.
            await #expect(throws: StorageError.self) {
                _ = try await run(
                    path,
                    first + [
                        MigrationTests.step(102, table: "whole"),
                        Migration(number: 103, name: "broken") { _ in ["NONSENSE"] },
                    ],
                    label: "kept")
            }
            #expect(try copies(folder) == ["s.db.before-kept"])
            let copy = try await SQLiteDatabase.open(path: path + ".before-kept", migrations: first, schema: .exact)
            try await copy.close()
            // The same again after the correction, with a copy of its own.
            let more = [MigrationTests.step(102, table: "whole"), MigrationTests.step(103, table: "half")]
            #expect(try await run(path, first + more, label: "2").steps == [103])
        }
    }

    @Test func partialCopyOfAKilledRunIsRemoved() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let first = [MigrationTests.step(101, table: "whole")]
            _ = try await run(path, first)
            for name in ["s.db.before-0.part", "s.db.before-0.part-journal", "other.part"] {
                try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            }
            _ = try await run(path, first + [MigrationTests.step(102, table: "half")], label: "1")
            #expect(try copies(folder) == ["s.db.before-1"])
            #expect(FileManager.default.fileExists(atPath: folder + "/other.part"))
        }
    }

    private func copies(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".before-") }
    }

    /// Returns the tables, steps and rows.
    private func contents(_ path: String, _ migrations: [Migration]) async throws -> [[SQLValue]] {
        let database = try await SQLiteDatabase.open(path: path, migrations: migrations, schema: .exact)
        let found = try await database.read { transaction in
            let tables = try transaction.query("SELECT name, sql FROM sqlite_master ORDER BY name")
            let steps = try transaction.query("SELECT number FROM schema_migration ORDER BY number")
            let rows = try transaction.query("SELECT id, content FROM thing ORDER BY id")
            let sound = try transaction.query("PRAGMA integrity_check")
            return tables.map { [$0["name"], $0["sql"]] } + steps.map { [$0["number"]] }
                + rows.map { [$0["id"], $0["content"]] } + sound.map { [$0["integrity_check"]] }
        }
        try await database.close()
        return found
    }

    #if os(Linux)
        @Test func diskFullDuringAStepLeavesTheStoreUnchanged() async throws {
            try await withSmallDisk("128m") { disk async throws in
                let path = disk.path + "/s.db"
                let first = Migration(number: 101, name: "first") { _ in
                    [
                        "CREATE TABLE thing (id BIGINT, content BLOB)",
                        "INSERT INTO thing (id, content) VALUES (1, randomblob(4000000))",
                    ]
                }
                _ = try await run(path, [first])
                let before = try await contents(path, [first])
                // There is more than enough space for a copy, but not for the data of this step.
                let large = Migration(number: 102, name: "large") { _ in
                    [
                        "CREATE TABLE large (content BLOB)",
                        """
                        INSERT INTO large WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                        SELECT randomblob(1000000) FROM n
                        """,
                    ]
                }
                let error = await #expect(throws: StorageError.self) { _ = try await run(path, [first, large]) }
                #expect(error?.code == "storage-full")
                #expect(try copies(disk.path) == [])
                #expect(try await contents(path, [first]) == before)
                // With enough space it succeeds.
                try disk.resize(to: "900m")
                #expect(try await run(path, [first, large], label: "2").steps == [102])
            }
        }
    #endif

    @Test func storeOfANewerVersionIsNeitherCopiedNorChanged() async throws {
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

    @Test func missingDiskSpaceIsReportedBeforeAnyStep() throws {
        try StoreMigration.requireSpace(1, onDiskOf: "/tmp/x")
        let error = #expect(throws: StorageError.self) {
            try StoreMigration.requireSpace(Int64.max, onDiskOf: "/tmp/x")
        }
        #expect(error?.code == "storage-full")
    }

    @Test func lockOfAStoreIsExclusive() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let path = temporary.path + "/store"
        do {
            let lock = try #require(try StoreLock(storePath: path))
            #expect(try StoreLock(storePath: path) == nil)
            withExtendedLifetime(lock) {}
        }
        // The lock ends with its value; the file stays.
        #expect(FileManager.default.fileExists(atPath: path + ".lock"))
        let again = try StoreLock(storePath: path)
        #expect(again != nil)
        let error = #expect(throws: StorageError.self) { _ = try StoreLock(storePath: "/nowhere/at/all") }
        #expect(error?.code == "storage-open")
    }
}
