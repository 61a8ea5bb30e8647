import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// A store that fails at its n-th statement, for each n.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    /// Runs one change with a fault at each of its statements in turn: if it throws, nothing has changed, and the next
    /// attempt succeeds.
    ///
    /// - Returns: The number of statements at which it failed.
    private func atEachStatement(
        code: String, prepare: (SQLSubmissionQueue) async throws -> Void,
        change: (SQLSubmissionQueue) async throws -> Bool
    ) async throws -> Int {
        var statement = 1
        while statement < 100 {
            var isDone = false
            try await Engine.sqlite.withDatabase { database async throws in
                try await prepare(SQLSubmissionQueue(database: database))
                let faulting = FaultingDatabase(database, code: code)
                let queue = SQLSubmissionQueue(database: faulting)
                let before = try await database.queueContents()
                faulting.fail(at: statement)
                do {
                    isDone = try await change(queue)
                    #expect(!faulting.hasFailed, "place \(statement)")
                } catch let error as StorageError {
                    #expect(error.code == code && faulting.hasFailed)
                    #expect(try await database.queueContents() == before, "place \(statement)")
                    #expect(try await change(queue), "place \(statement)")
                }
                #expect(try await database.queueContents() != before)
            }
            if isDone { return statement - 1 }
            statement += 1
        }
        return statement
    }

    private static let codes = ["storage-io", "storage-failed"]

    @Test(arguments: codes)
    func failedEnqueueLeavesNoPartialState(code: String) async throws {
        let statements = try await atEachStatement(
            code: code, prepare: { _ = try await $0.enqueue(submission("0")) },
            change: { try await $0.enqueue(submission("1"), quota: 1000) == .accepted })
        #expect(statements == 8, "client, look up, quota, newest, change, row, body, commit")
    }

    @Test(arguments: codes)
    func failedLeaseLeavesNoPartialState(code: String) async throws {
        let statements = try await atEachStatement(
            code: code,
            prepare: {
                for (id, enrolmentID) in [("1", "a"), ("2", "b")] {
                    _ = try await $0.enqueue(submission(id, client: enrolmentID))
                }
            },
            change: { try await $0.leaseAll().count == 2 })
        #expect(statements == 11, "look, rows, two bodies, rows, two lanes, number, two rows, commit")
    }

    @Test(arguments: codes)
    func failedQuarantineOfACrashLeavesNoPartialState(code: String) async throws {
        let statements = try await atEachStatement(
            code: code,
            prepare: { queue in
                for (id, enrolmentID) in [("1", "a"), ("2", "b")] {
                    _ = try await queue.enqueue(submission(id, client: enrolmentID))
                }
                for process in 0..<3 {
                    try await queue.takeOverLeases(owner: "process \(process)")
                    _ = try await queue.leaseAll("process \(process)")
                }
                try await queue.takeOverLeases(owner: "o")
            },
            change: { try await $0.leaseAll().map(\.submissionID) == ["2"] })
        #expect(statements > 8)
    }

    @Test(arguments: codes)
    func failedSettlementLeavesNoPartialState(code: String) async throws {
        let statements = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
                let leased = try await queue.leaseAll()
                for waiting in leased.prefix(2) { try await queue.settle(waiting, status: .held) }
            },
            change: { queue in
                // The contents of the lease are known: it is the first one of this store.
                let contract = QueuedSubmission(
                    number: 3, clientID: "client-1", enrolmentID: "client-1", submissionID: "3", digest: "d1",
                    format: .jwe,
                    body: Data(), receivedAt: time(), leaseOwner: "o", lease: 1)
                let outcome = SubmissionOutcome(status: .stored, releasesHeld: true)
                return try await queue.settle(contract, as: outcome, at: time(9))
            })
        #expect(statements == 10, "held, change, row, body, waiting, two changes and rows, commit")
    }

    @Test(arguments: codes)
    func failedPostponeAndReleaseLeaveNoPartialState(code: String) async throws {
        let postponed = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
                _ = try await queue.leaseAll()
            },
            change: { queue in
                let first = QueuedSubmission(
                    number: 1, clientID: "client-1", enrolmentID: "client-1", submissionID: "1", digest: "d1",
                    format: .jwe,
                    body: Data(), receivedAt: time(), leaseOwner: "o", lease: 1)
                try await queue.postpone(first, isFailure: true)
                return true
            })
        #expect(postponed == 4)
        let released = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
                for leased in try await queue.leaseAll() {
                    try await queue.settle(leased, status: .held, reason: "key-unknown")
                }
            },
            change: { try await $0.release(.reason("key-unknown"), at: time(9)) == 2 })
        #expect(released == 7)
    }
}
