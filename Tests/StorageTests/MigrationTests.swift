import Foundation
import Testing

@testable import Storage

@Suite("Schema steps")
struct MigrationTests {
    static func step(_ number: Int, _ name: String? = nil, table: String? = nil) -> Migration {
        Migration(number: number, name: name ?? "step \(number)") { _ in
            ["CREATE TABLE \(table ?? "t\(number)") (id BIGINT PRIMARY KEY)"]
        }
    }

    private func open(_ folder: String, _ migrations: [Migration]) async throws {
        let database = try await openDatabase(url: "sqlite:\(folder)/m.db", migrations: migrations)
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
        try await withTemporaryFolder { folder in
            let insert = Migration(number: 102, name: "row") { _ in ["INSERT INTO t101 (id) VALUES (1)"] }
            try await open(folder, [insert, Self.step(101)])
            try await open(folder, [insert, Self.step(101), Self.step(103), Self.step(201)])
            let database = try await openDatabase(
                url: "sqlite:\(folder)/m.db", migrations: [Self.step(201)])
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

    @Test func whatANewerVersionWroteIsRefused() async throws {
        try await withTemporaryFolder { folder in
            try await open(folder, [Self.step(101), Self.step(102)])
            #expect(await code { try await open(folder, [Self.step(101)]) } == "storage-schema-newer")
        }
    }

    @Test func aChangedStepIsRefused() async throws {
        try await withTemporaryFolder { folder in
            try await open(folder, [Self.step(101)])
            #expect(
                await code { try await open(folder, [Self.step(101, "other")]) }
                    == "storage-schema-mismatch")
        }
    }

    @Test func aStepBeforeOneThatWasDoneIsRefused() async throws {
        try await withTemporaryFolder { folder in
            try await open(folder, [Self.step(102)])
            #expect(
                await code { try await open(folder, [Self.step(101), Self.step(102)]) }
                    == "storage-schema-order")
            #expect(
                await code { try await open(folder, [Self.step(102), Self.step(102)]) }
                    == "storage-schema-order")
        }
    }

    @Test func aStepThatFailsLeavesNothingBehind() async throws {
        try await withTemporaryFolder { folder in
            let broken = Migration(number: 102, name: "broken") { _ in
                ["CREATE TABLE half (id BIGINT)", "NONSENSE"]
            }
            #expect(await code { try await open(folder, [Self.step(101), broken]) } == "storage-failed")
            try await open(folder, [Self.step(101), Self.step(102, table: "half")])
        }
    }

    @Test func twoProgramsMayOpenAtTheSameTime() async throws {
        try await withTemporaryFolder { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let database = try await openDatabase(
                            url: "sqlite:\(folder)/m.db", migrations: StorageSchema.migrations)
                        try await database.close()
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
