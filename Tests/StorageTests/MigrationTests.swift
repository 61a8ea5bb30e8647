import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

@Suite struct MigrationTests {
    static func step(_ number: Int, _ name: String? = nil, table: String? = nil) -> Migration {
        Migration(number: number, name: name ?? "step \(number)") { _ in
            ["CREATE TABLE \(table ?? "t\(number)") (id BIGINT PRIMARY KEY)"]
        }
    }

    private func open(_ folder: String, _ migrations: [Migration]) async throws {
        let database = try await SQLiteDatabase.open(path: "\(folder)/m.db", migrations: migrations)
        try await database.close()
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code ?? "another error"
        }
    }

    @Test func stepsAreDoneOnceAndInOrder() async throws {
        try await withTemporaryFolder { folder async throws in
            let insert = Migration(number: 102, name: "row") { _ in ["INSERT INTO t101 (id) VALUES (1)"] }
            try await open(folder, [insert, Self.step(101)])
            let all = [insert, Self.step(101), Self.step(103), Self.step(201)]
            try await open(folder, all)
            let database = try await SQLiteDatabase.open(path: "\(folder)/m.db", migrations: all)
            let done = try await database.read {
                try $0.query("SELECT number FROM schema_migration ORDER BY number").map {
                    try $0.integer("number")
                }
            }
            #expect(done == [101, 102, 103, 201])
            #expect(try await database.read { try $0.query("SELECT id FROM t101").count } == 1)
            try await database.close()
        }
    }

    @Test func storeOfANewerVersionIsRefused() async throws {
        try await withTemporaryFolder { folder async throws in
            try await open(folder, [Self.step(101), Self.step(102)])
            #expect(await code { try await open(folder, [Self.step(101)]) } == "storage-schema-newer")
        }
    }

    /// A store without the baseline is one of a development version before it.
    @Test(arguments: TestEngine.allCases) func storeWithoutTheBaselineIsRefused(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/former.db"
            try await engine.open(path: path, migrations: [Self.step(200), Self.step(400)]).close()
            for policy in [SchemaPolicy.exact, .migrate] {
                let error = await #expect(throws: StorageError.self) {
                    try await engine.open(path: path, migrations: SubmissionsSchema.migrations, schema: policy).close()
                }
                #expect(error?.code == "storage-schema-former")
                #expect(error?.message.contains("tributary init") == true)
            }
            // It was not changed.
            let former = try await engine.open(path: path, migrations: [], schema: .exact)
            let names = try await former.read { try $0.tableNames() }
            #expect(names == ["schema_migration", "t200", "t400"])
            try await former.close()
        }
    }

    @Test func aStoreIsNotTakenForAnother() async throws {
        try await withTemporaryFolder { folder async throws in
            try await open(folder, [.baseline(of: "records", [])])
            #expect(await code { try await open(folder, SubmissionsSchema.migrations) } == "storage-schema-mismatch")
        }
    }

    @Test func aChangedStepIsRefused() async throws {
        try await withTemporaryFolder { folder async throws in
            try await open(folder, [Self.step(101)])
            #expect(
                await code { try await open(folder, [Self.step(101, "other")]) }
                    == "storage-schema-mismatch")
        }
    }

    @Test func migrationBelowAnAppliedOneIsRefused() async throws {
        try await withTemporaryFolder { folder async throws in
            try await open(folder, [Self.step(101), Self.step(103)])
            #expect(
                await code { try await open(folder, [Self.step(101), Self.step(102), Self.step(103)]) }
                    == "storage-schema-order")
            #expect(
                await code { try await open(folder, [Self.step(102), Self.step(102)]) }
                    == "storage-schema-order")
        }
    }

    @Test func failedStepLeavesNoChanges() async throws {
        try await withTemporaryFolder { folder async throws in
            let broken = Migration(number: 102, name: "broken") { _ in
                ["CREATE TABLE half (id BIGINT)", "NONSENSE"]
            }
            #expect(await code { try await open(folder, [Self.step(101), broken]) } == "storage-failed")
            try await open(folder, [Self.step(101), Self.step(102, table: "half")])
        }
    }

    @Test func twoProgramsMayOpenAtTheSameTime() async throws {
        try await withTemporaryFolder { folder async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let database = try await SQLiteDatabase.open(
                            path: "\(folder)/m.db", migrations: SubmissionsSchema.migrations)
                        try await database.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Moves five rows at a time; each part is a transaction of its own.
    private static func sliced(failAfter parts: Int? = nil, counting count: Counter) -> Migration {
        Migration(
            number: 102, name: "copy",
            slice: { transaction in
                let part = count.add()
                if let parts, part > parts { throw StorageError(code: "storage-full", message: "The disk is full.") }
                let moved = try transaction.execute(
                    """
                    INSERT INTO copied (id) SELECT id FROM t101
                    WHERE id > (SELECT COALESCE(max(id), -1) FROM copied) ORDER BY id LIMIT 5
                    """)
                return moved == 5
            },
            statements: { _ in ["CREATE TABLE IF NOT EXISTS copied (id BIGINT PRIMARY KEY)"] })
    }

    @Test func slicedStepContinuesWhereItStopped() async throws {
        try await withTemporaryFolder { folder async throws in
            let url = "\(folder)/m.db"
            let first = try await SQLiteDatabase.open(path: url, migrations: [Self.step(101)])
            try await first.write { transaction in
                for id in 0..<23 { try transaction.execute("INSERT INTO t101 (id) VALUES (?)", [SQLValue(id)]) }
            }
            try await first.close()
            let before = Counter()
            #expect(
                await code { try await open(folder, [Self.step(101), Self.sliced(failAfter: 2, counting: before)]) }
                    == "storage-full")
            // Two parts are committed and stay; the step is not marked as done.
            let stopped = try await SQLiteDatabase.open(path: url, migrations: [Self.step(101)])
            #expect(try await stopped.read { try $0.query("SELECT id FROM copied").count } == 10)
            try await stopped.close()
            let after = Counter()
            let second = try await SQLiteDatabase.open(
                path: url, migrations: [Self.step(101), Self.sliced(counting: after)])
            let ids = try await second.read {
                try $0.query("SELECT id FROM copied ORDER BY id").map { try $0.integer("id") }
            }
            #expect(ids == (0..<23).map { Int64($0) })
            #expect(before.value == 3 && after.value == 3)
            let marked = try await second.read { try $0.query("SELECT number FROM schema_migration").count }
            #expect(marked == 2)
            try await second.close()
            // A completed step is not run again.
            try await open(folder, [Self.step(101), Self.sliced(counting: after)])
            #expect(after.value == 3)
        }
    }

    @Test func exactSchemaPolicyRefusesEveryOtherSchema() async throws {
        try await withTemporaryFolder { folder async throws in
            func openExactly(_ migrations: [Migration], _ name: String = "m.db") async throws {
                let database = try await SQLiteDatabase.open(
                    path: "\(folder)/\(name)", migrations: migrations, schema: .exact)
                try await database.close()
            }
            #expect(await code { try await openExactly([Self.step(101)]) } == "storage-missing")
            #expect(!FileManager.default.fileExists(atPath: folder + "/m.db"))
            try await open(folder, [Self.step(101), Self.step(102)])
            #expect(await code { try await openExactly([Self.step(101), Self.step(102)]) } == nil)
            #expect(await code { try await openExactly([Self.step(101)]) } == "storage-schema-newer")
            let more = [Self.step(101), Self.step(102), Self.step(201)]
            #expect(await code { try await openExactly(more) } == "storage-schema-older")
            // The store was inspected and left unchanged.
            #expect(await code { try await openExactly([Self.step(101), Self.step(102)]) } == nil)
            _ = FileManager.default.createFile(atPath: folder + "/empty.db", contents: nil)
            #expect(await code { try await openExactly([Self.step(101)], "empty.db") } == "storage-schema-older")
        }
    }
}
