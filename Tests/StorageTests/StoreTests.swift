import Foundation
import Storage
import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

/// Whole stores, on both engines.
@Suite struct StoreTests {
    private func store(
        _ folder: String, _ name: String, on engine: TestEngine, migrations: [Migration] = SubmissionsSchema.migrations
    ) throws -> Store {
        let path = "\(folder)/\(name).sqlite"
        let location: StoreLocation =
            switch engine {
            case .sqlite: .file(path)
            case .postgresql: .postgreSQL(try TestEngine.postgreSQL())
            }
        return Store(
            at: location, migrations: migrations, schema: try TestEngine.schema(of: path),
            permissions: (0o600, 0o700))
    }

    private func fill(_ store: Store, with ids: [String]) async throws {
        try await store.migrate()
        try await store.open().closing { database in
            let queue = SQLSubmissionQueue(database: database)
            for id in ids {
                #expect(try await queue.enqueue(submission(id, body: "body of \(id)")) == .accepted)
            }
            _ = try await database.write { try QueueState.claim(studyID: "s", newQueueID: "q", in: $0) }
        }
    }

    private func contents(_ store: Store) async throws -> [String] {
        try await store.open().closing { try await $0.queueContents() }
    }

    @Test(arguments: TestEngine.allCases, TestEngine.allCases)
    func storeIsMovedWithAllRowsAndItsNumbersContinue(_ from: TestEngine, _ to: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let (old, new) = (try store(folder, "old", on: from), try store(folder, "new", on: to))
            try await fill(old, with: ["a", "b", "c", "last"])
            // The number of a deleted row is not used again.
            try await old.open().closing { database in
                try await database.write { transaction in
                    try transaction.execute("DELETE FROM submission_body WHERE number = 4")
                    try transaction.execute("DELETE FROM submission WHERE number = 4")
                }
            }
            let before = try await contents(old)
            let move = try await old.move(to: new, at: Date())
            #expect(move.rows?["submission"] == 3)
            #expect(try await contents(new) == before)
            let refused = await #expect(throws: StorageError.self) { try await old.open() }
            #expect(refused?.code == "storage-moved")
            #expect(try await old.isMoved())
            #expect(try await !new.isMoved())
            try await new.open().closing { database in
                let queue = SQLSubmissionQueue(database: database)
                #expect(try await queue.enqueue(submission("d")) == .accepted)
                let newest = try await database.read { try $0.first("SELECT max(number) AS n FROM submission") }
                #expect(try newest?.integer("n") == 5)
            }
            // A repeated move finds that it is done.
            #expect(try await old.move(to: new, at: Date()).rows == nil)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func moveDoesNotOverwriteAnotherStore(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let (old, new) = (try store(folder, "old", on: .sqlite), try store(folder, "new", on: engine))
            try await fill(old, with: ["a"])
            try await fill(new, with: ["z"])
            let (before, other) = (try await contents(old), try await contents(new))
            let refused = await #expect(throws: StorageError.self) { try await old.move(to: new, at: Date()) }
            #expect(refused?.code == "storage-exists")
            #expect(try await contents(old) == before)
            #expect(try await contents(new) == other)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func moveThatStoppedInTheMiddleIsRepeated(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let (old, new) = (try store(folder, "old", on: .sqlite), try store(folder, "new", on: engine))
            try await fill(old, with: ["a", "b"])
            let before = try await contents(old)
            // It had copied a part of the rows.
            try await fill(new, with: ["a"])
            try await new.open().closing { database in
                try await database.write { try StoreMark.isBeingFilled.write(at: "now", in: $0) }
            }
            let refused = await #expect(throws: StorageError.self) { try await new.open() }
            #expect(refused?.code == "storage-being-moved")
            #expect(try await old.move(to: new, at: Date()).rows?["submission"] == 2)
            #expect(try await contents(new) == before)
        }
    }

    /// Steps write rows too, like those that record the dictionaries of contents.
    @Test(arguments: TestEngine.allCases)
    func moveThatStoppedBeforeCopyingIsRepeated(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let steps =
                SubmissionsSchema.migrations + [
                    Migration(number: 799, name: "words") { _ in
                        [
                            "CREATE TABLE word (spelling TEXT NOT NULL)",
                            "INSERT INTO word (spelling) VALUES ('of the program')",
                        ]
                    }
                ]
            let old = try store(folder, "old", on: .sqlite, migrations: steps)
            let new = try store(folder, "new", on: engine, migrations: steps)
            try await fill(old, with: ["a", "b"])
            try await new.migrate()
            #expect(try await old.move(to: new, at: Date()).rows?["submission"] == 2)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func openOldStoreCannotBeWrittenAfterItsMove(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let (old, new) = (try store(folder, "old", on: .sqlite), try store(folder, "new", on: engine))
            try await fill(old, with: ["a"])
            let database = try await old.open()
            let queue = SQLSubmissionQueue(database: database)
            #expect(try await queue.enqueue(submission("b")) == .accepted)
            _ = try await old.move(to: new, at: Date())
            await #expect(throws: StorageError.self) { try await queue.enqueue(submission("c")) }
            try await database.close()
            #expect(try await contents(new).filter { $0.contains("submission_id=") }.count == 2)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aCopyIsOneStateOfTheStoreInAFile(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let store = try store(folder, "store", on: engine)
            try await fill(store, with: ["a", "b", "c"])
            let path = "\(folder)/copy.sqlite"
            try await store.copy(to: path)
            let copy = Store(
                at: .file(path), migrations: SubmissionsSchema.migrations, schema: .queue, permissions: (0o600, 0o700))
            #expect(try await contents(copy) == contents(store))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".filled") }
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func storeExistsAfterMigrationAndIsCompactedWhileOpen(_ engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let store = try store(folder, "store", on: engine)
            #expect(try await !store.isThere())
            let missing = await #expect(throws: StorageError.self) { try await store.open() }
            #expect(missing?.code == "storage-missing")
            #expect(try await store.migrate().steps == SubmissionsSchema.migrations.map(\.number))
            #expect(try await store.isThere())
            #expect(try await store.migrate().steps == [])
            try await fill(store, with: ["a", "b"])
            let database = try await store.open()
            try await database.write { transaction in
                try transaction.execute("DELETE FROM submission_body")
                try transaction.execute("DELETE FROM submission")
            }
            try await store.compact()
            #expect(try await SQLSubmissionQueue(database: database).enqueue(submission("c")) == .accepted)
            try await database.close()
        }
    }
}

/// Behaviour of PostgreSQL only.
@Suite(.enabled(if: TestEngine.allCases.contains(.postgresql))) struct PostgreSQLStoreTests {
    private func store(_ name: String, _ migrations: [Migration]) throws -> Store {
        Store(
            at: .postgreSQL(try TestEngine.postgreSQL()), migrations: migrations,
            schema: try TestEngine.schema(of: name), permissions: (0o600, 0o700))
    }

    @Test func stepsAreRefusedWhileTheOlderSchemaIsInUse() async throws {
        let name = UUID().uuidString
        let older = try store(name, SubmissionsSchema.migrations)
        try await older.migrate()
        let newer = try store(
            name,
            SubmissionsSchema.migrations + [
                Migration(number: 799, name: "later") { _ in ["CREATE TABLE later (id BIGINT)"] }
            ])
        let database = try await older.open()
        let refused = await #expect(throws: StorageError.self) { try await newer.migrate() }
        #expect(refused?.code == "storage-locked")
        try await database.close()
        #expect(try await newer.migrate().steps == [799])
        let outdated = await #expect(throws: StorageError.self) { try await older.open() }
        #expect(outdated?.code == "storage-schema-newer")
    }

    @Test func storeWithoutTheMarkIsNeverRecreated() async throws {
        let store = try store(UUID().uuidString, SubmissionsSchema.migrations)
        try await store.recreate(marked: "a demonstration's")
        try await store.migrate()
        try await store.open().closing { database in
            _ = try await SQLSubmissionQueue(database: database).enqueue(submission("a"))
        }
        try await store.recreate(marked: "a demonstration's")
        #expect(try await !store.isThere())
        try await store.migrate()
        let refused = await #expect(throws: StorageError.self) { try await store.recreate(marked: "another's") }
        #expect(refused?.code == "storage-exists")
        #expect(try await store.isThere())
    }

    @Test func timeOfReceiptIsFromTheDatabase() async throws {
        let store = try store(UUID().uuidString, SubmissionsSchema.migrations)
        try await store.migrate()
        try await store.open().closing { database in
            let queue = SQLSubmissionQueue(database: database, clock: .ofDatabase)
            let years: TimeInterval = 10 * 365 * 86_400
            #expect(try await queue.enqueue(submission("a", at: Date().addingTimeInterval(years))) == .accepted)
            let received = try #require(try await queue.newestReceipt())
            #expect(abs(received.timeIntervalSinceNow) < 3_600)
            // A host whose clock is far ahead takes no lease from a running owner.
            #expect(try await queue.leaseAll("first").count == 1)
            #expect(try await queue.leaseAll("second", at: Date().addingTimeInterval(years)).isEmpty)
        }
    }

    @Test func waitingConsumerIsNotifiedOfSubmissionsOfAnyReceiver() async throws {
        let store = try store(UUID().uuidString, SubmissionsSchema.migrations)
        try await store.migrate()
        let (consumer, receiver) = try await (store.open(), store.open())
        let arrivals = try #require(SQLSubmissionQueue(database: consumer).arrivals())
        var iterator = arrivals.makeAsyncIterator()
        // It listens from now on.
        #expect(await iterator.next() != nil)
        #expect(try await SQLSubmissionQueue(database: receiver).enqueue(submission("a")) == .accepted)
        #expect(await iterator.next() != nil)
        #expect(try await SQLSubmissionQueue(database: consumer).leaseAll("o").count == 1)
        try await consumer.close()
        try await receiver.close()
    }
}
