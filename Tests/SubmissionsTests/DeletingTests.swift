import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

@Suite struct DeletingTests {
    @Test func noByteOfADeletedRowIsLeftInAnyFileWhileOthersHaveTheDatabaseOpen() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/test.db"
            let step = Migration(number: 1, name: "t") { _ in ["CREATE TABLE t (id BIGINT PRIMARY KEY, words TEXT)"] }
            let database = try await SQLiteDatabase.open(path: path, migrations: [step])
            let secret = "planted-words"
            try await database.write { transaction in
                for id in 0..<2000 {
                    let words = String(repeating: id.isMultiple(of: 2) ? secret : "kept", count: 20)
                    try transaction.execute("INSERT INTO t (id, words) VALUES (?, ?)", [SQLValue(id), SQLValue(words)])
                }
            }
            func found() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                    FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(secret.utf8)) != nil
                }
            }
            let removed = try await database.write {
                try $0.delete(from: "t", where: "id % 2 = ?", [0], orderedBy: "id")
            }
            #expect(removed.count == 1000)
            #expect(try !found().isEmpty)
            try SQLiteDatabase.compact(path: path)
            #expect(try found() == [])
            let left = try await database.read { try $0.first("SELECT count(*) AS n FROM t")?.integer("n") }
            #expect(left == 1000)
            _ = try await database.write { try $0.execute("DELETE FROM t WHERE id = ?", [1]) }
            try await database.close()
            #expect(throws: StorageError.self) { try SQLiteDatabase.compact(path: "\(folder)/none.db") }
        }
    }

    @Test func digestDistinguishesSimilarRows() async throws {
        let step = Migration(number: 1, name: "t") { _ in ["CREATE TABLE t (id BIGINT PRIMARY KEY, a TEXT, b TEXT)"] }
        try await withTemporaryDatabase([step]) { database in
            try await database.write { transaction in
                func digest(_ a: String?, _ b: String?) throws -> String {
                    try transaction.execute("INSERT INTO t (id, a, b) VALUES (?, ?, ?)", [1, SQLValue(a), SQLValue(b)])
                    return try transaction.delete(from: "t", where: "id = ?", [1], orderedBy: "id").sha256
                }
                let digests = [
                    try digest("xy", "z"), try digest("x", "yz"), try digest(nil, ""), try digest("", nil),
                    try digest("", ""),
                ]
                #expect(Set(digests).count == digests.count)
                #expect(try digest("xy", "z") == digests[0])
            }
        }
    }

    @Test func emptiedDeviceQueueIsReportedAndHasNothingWaiting() async throws {
        try await withTemporaryDatabase { database in
            let queue = SQLSubmissionQueue(database: database)
            let start = Date(timeIntervalSince1970: 1_790_000_000)
            for (number, enrolmentID) in ["d", "d", "e"].enumerated() {
                _ = try await queue.enqueue(
                    NewSubmission(
                        clientID: "c", enrolmentID: enrolmentID, submissionID: "s\(number)", digest: "x", format: .jwe,
                        resourceTypeHint: "Consent", body: Data([1, 2, 3]),
                        receivedAt: start.addingTimeInterval(Double(number) * 10)), quota: nil)
            }
            let leased = try await queue.lease(owner: "o", limit: 5, duration: 60, now: start, isIdle: true)
            let before = try await queue.deliveries(enrolmentID: "d", after: 0, limit: 10).last?.change ?? 0
            // First the submissions of one device until a time, then all of them.
            for until in [start.addingTimeInterval(5), nil] {
                let stretch = [SubmissionStretch(enrolmentID: "d", after: nil, until: until)]
                let digest = try await database.read { try SQLSubmissionQueue.digest(stretch, in: $0) }
                #expect(digest.bodies.count == 1)
                try await database.write { transaction in
                    try SQLSubmissionQueue.empty(stretch, reason: "participant-deleted", at: start, in: transaction)
                }
            }
            let deliveries = try await queue.deliveries(enrolmentID: "d", after: before, limit: 10)
            #expect(Set(deliveries.map(\.reasonCode)) == ["participant-deleted"] && deliveries.count == 2)
            #expect(deliveries.allSatisfy { $0.status == .refused })
            for submission in leased where submission.enrolmentID == "d" {
                #expect(try await !queue.isHeld(submission))
            }
            let rows = try await queue.show(submissionID: "s0")
            #expect(rows.first?.size == 0)
            let waiting = try await database.read { try SQLSubmissionQueue.waiting(in: $0) }
            #expect(waiting == ["e": [.received: 1]])
            // A repeated submission is recognised, and restores nothing.
            let resent = NewSubmission(
                clientID: "c", enrolmentID: "d", submissionID: "s0", digest: "x", format: .jwe, body: Data([1, 2, 3]),
                receivedAt: start)
            #expect(try await queue.enqueue(resent, quota: nil) == .duplicate)
        }
    }
}
