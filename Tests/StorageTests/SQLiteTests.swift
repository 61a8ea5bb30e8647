import Foundation
import Testing

@testable import Storage

#if canImport(Glibc)
    import Glibc
#endif

@Suite("SQLite", .timeLimit(.minutes(1)))
struct SQLiteTests {
    @Test func whatIsCommittedIsFlushedAndTheFileIsPrivate() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(path: path, migrations: StorageSchema.migrations)
            let settings = try await database.write { transaction in
                try ["synchronous", "foreign_keys"].map { name in
                    try transaction.first("PRAGMA \(name)")?.integer(name)
                }
            }
            #expect(settings == [2, 1])
            let mode = try await database.read {
                try $0.first("PRAGMA journal_mode")?.text("journal_mode")
            }
            #expect(mode == "wal")
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
            }
            try await database.close()
        }
    }

    @Test func aUrlThatNamesNoKnownEngineIsRefused() async throws {
        for (url, code) in [
            ("postgres://host/name", "storage-engine-unknown"), ("nothing", "storage-engine-unknown"),
            ("sqlite:", "storage-open"), ("sqlite:/nowhere/at/all.db", "storage-open"),
        ] {
            let error = await #expect(throws: StorageError.self) {
                _ = try await openDatabase(url: url, migrations: [])
            }
            #expect(error?.code == code)
        }
    }

    @Test func aFileThatIsNoDatabaseIsRefused() async throws {
        try await withTemporaryFolder { folder in
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: folder + "/x.db"))
            let error = await #expect(throws: StorageError.self) {
                _ = try await openDatabase(url: "sqlite:\(folder)/x.db", migrations: [])
            }
            #expect(error?.code == "storage-corrupt")
        }
    }

    @Test(arguments: [
        (
            "SELECT s.*, b.body" as String, SQLSubmissionQueue.leaseSQL, 3,
            ["submission_by_status", "submission_by_lease"]
        ),
        ("deliveries of a lane", SQLSubmissionQueue.laneDeliveriesSQL, 3, ["submission_by_change"]),
        (
            "deliveries of a client", SQLSubmissionQueue.clientDeliveriesSQL, 3,
            ["submission_by_change", "submission_by_client"]
        ),
        ("known already", SQLSubmissionQueue.lookUpSQL, 2, ["sqlite_autoindex_submission_1"]),
    ])
    func hotQueriesUseTheirIndexes(name: String, sql: String, parameters: Int, indexes: [String])
        async throws
    {
        try await Engine.sqlite.withQueue { queue, database in
            for index in 0..<200 {
                _ = try await queue.enqueue(submission("s\(index)", client: "c\(index % 20)"))
            }
            let plan = try await database.read { transaction in
                try transaction.query(
                    "EXPLAIN QUERY PLAN " + sql, Array(repeating: SQLValue(1), count: parameters)
                ).map { try $0.text("detail") }
            }
            for index in indexes {
                #expect(plan.contains { $0.contains(index) }, "\(name): \(plan)")
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(name): \(plan)")
        }
    }

    #if os(Linux)
        @Test func aFullDiskStoresNothingByHalvesAndTheNextGoodOneGoesThrough() async throws {
            try await withTemporaryFolder { folder in
                guard mount("tmpfs", folder, "tmpfs", 0, "size=2m") == 0 else {
                    print("skipped: a small tmpfs cannot be mounted here")
                    return
                }
                defer { umount2(folder, Int32(MNT_DETACH)) }
                let database = try await openDatabase(
                    url: "sqlite:\(folder)/full.db", migrations: StorageSchema.migrations)
                let queue = SQLSubmissionQueue(database: database)
                let large = String(repeating: "x", count: 100_000)
                var accepted: [String] = []
                var refusal: StorageError?
                for index in 0..<100 {
                    do {
                        _ = try await queue.enqueue(submission("s\(index)", body: large))
                        accepted.append("s\(index)")
                    } catch let error as StorageError {
                        refusal = error
                        break
                    }
                }
                #expect(refusal?.code == "storage-full")
                #expect(!accepted.isEmpty)
                #expect(try await queue.status(now: time()).depth == accepted.count)
                let bodies = try await database.read {
                    try $0.query("SELECT number FROM submission_body").count
                }
                #expect(bodies == accepted.count)
                // Room is made: what was refused goes through, and nothing that was accepted is lost.
                #expect(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT), "size=16m") == 0)
                #expect(try await queue.enqueue(submission("s\(accepted.count)", body: large)) == .accepted)
                let leased = try await queue.lease(owner: "o", limit: 200, duration: 1, now: time())
                #expect(leased.map(\.submissionID) == accepted + ["s\(accepted.count)"])
                #expect(leased.allSatisfy { $0.body.count == 100_000 })
                try await database.close()
            }
        }
    #endif
}
