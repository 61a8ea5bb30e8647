import Foundation
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

@Suite(.timeLimit(.minutes(10)))
struct CopyTests {
    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Each transaction inserts one row into each of two tables; a state with different counts never existed.
    @Test func aCopyWhileOthersWriteIsOneStateOfTheDatabase() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
            let queue = SQLSubmissionQueue(database: database)
            let body = String(repeating: "x", count: 20_000)
            for index in 0..<30 { _ = try await queue.enqueue(submission("before \(index)", body: body)) }
            let writer = Task {
                var count = 0
                while !Task.isCancelled {
                    _ = try await queue.enqueue(submission("during \(count)", body: body))
                    count += 1
                }
                return count
            }
            let deadline = Patience.deadline
            while try await queue.status(now: time()).depth < 35, ContinuousClock.now < deadline { await Task.yield() }
            for number in 0..<3 { try SQLiteDatabase.copy(path: path, to: folder + "/copy\(number).db") }
            writer.cancel()
            let written = try await writer.value
            #expect(written >= 5)
            for number in 0..<3 {
                let target = folder + "/copy\(number).db"
                #expect(try mode(target) == 0o600)
                #expect(SQLiteDatabase.isSound(path: target))
                let copy = try await SQLiteDatabase.open(
                    path: target, migrations: SubmissionsSchema.migrations, schema: .exact)
                let counts = try await copy.read { transaction in
                    try ["submission", "submission_body"].map {
                        try transaction.first("SELECT count(*) AS total FROM \($0)")?.integer("total")
                    } + [transaction.first("SELECT change FROM queue_state")?.integer("change")]
                }
                #expect(Set(counts).count == 1 && (counts[0] ?? 0) >= 35, "\(counts)")
                try await copy.close()
            }
            try await database.close()
        }
    }

    @Test func aCopyReplacesNothingAndAFailedOneLeavesNothing() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let missing = #expect(throws: StorageError.self) {
                try SQLiteDatabase.copy(path: path, to: folder + "/copy.db")
            }
            #expect(missing?.code == "storage-missing")
            let database = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
            try await database.close()
            let there = folder + "/there"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: there))
            let error = #expect(throws: StorageError.self) { try SQLiteDatabase.copy(path: path, to: there) }
            #expect(error?.code == "storage-open")
            #expect(try Data(contentsOf: URL(fileURLWithPath: there)) == Data("mine".utf8))
            let nonsense = folder + "/nonsense"
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: nonsense))
            let damaged = #expect(throws: StorageError.self) {
                try SQLiteDatabase.copy(path: nonsense, to: folder + "/half")
            }
            #expect(damaged?.code == "storage-corrupt")
            #expect(!FileManager.default.fileExists(atPath: folder + "/half"))
        }
    }

    @Test func truncatedAndOtherFilesAreNotSound() async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/s.db"
            let database = try await SQLiteDatabase.open(path: path, migrations: SubmissionsSchema.migrations)
            let queue = SQLSubmissionQueue(database: database)
            for index in 0..<20 {
                _ = try await queue.enqueue(submission("\(index)", body: String(repeating: "x", count: 9000)))
            }
            try SQLiteDatabase.copy(path: path, to: folder + "/copy.db")
            try await database.close()
            #expect(SQLiteDatabase.isSound(path: folder + "/copy.db"))
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/copy.db"))
            for (name, part) in [("half", bytes.prefix(bytes.count / 2)), ("none", Data(repeating: 65, count: 9000))] {
                try part.write(to: URL(fileURLWithPath: folder + "/" + name))
                #expect(!SQLiteDatabase.isSound(path: folder + "/" + name), "\(name)")
            }
            #expect(!SQLiteDatabase.isSound(path: folder + "/absent"))
        }
    }
}
