import Foundation
import Testing

@testable import Storage

/// A store that fails at its n-th statement, for each n.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    /// Runs one change with a fault at each of its statements in turn: whenever it throws, nothing has changed, and the
    /// next try does it.
    ///
    /// - Returns: at how many places it failed.
    private func atEachStatement(
        code: String, prepare: (SQLSubmissionQueue) async throws -> Void,
        change: (SQLSubmissionQueue) async throws -> Bool
    ) async throws -> Int {
        var place = 1
        while place < 100 {
            var isDone = false
            try await Engine.sqlite.withDatabase { database async throws in
                try await prepare(SQLSubmissionQueue(database: database))
                let faulting = FaultingDatabase(database, code: code)
                let queue = SQLSubmissionQueue(database: faulting)
                let before = try await database.queueContents()
                faulting.fail(at: place)
                do {
                    isDone = try await change(queue)
                    #expect(!faulting.hasFailed, "place \(place)")
                } catch let error as StorageError {
                    #expect(error.code == code && faulting.hasFailed)
                    #expect(try await database.queueContents() == before, "place \(place)")
                    #expect(try await change(queue), "place \(place)")
                }
                #expect(try await database.queueContents() != before)
            }
            if isDone { return place - 1 }
            place += 1
        }
        return place
    }

    private static let codes = ["storage-io", "storage-failed"]

    @Test(arguments: codes)
    func enqueuingLeavesNothingByHalves(code: String) async throws {
        let places = try await atEachStatement(
            code: code, prepare: { _ = try await $0.enqueue(submission("0")) },
            change: { try await $0.enqueue(submission("1"), quota: 1000) == .accepted })
        #expect(places == 8, "client, look up, quota, newest, change, row, body, commit")
    }

    @Test(arguments: codes)
    func leasingLeavesNothingByHalves(code: String) async throws {
        let places = try await atEachStatement(
            code: code,
            prepare: {
                for (id, lane) in [("1", "a"), ("2", "b")] { _ = try await $0.enqueue(submission(id, client: lane)) }
            },
            change: { try await $0.leaseAll().count == 2 })
        #expect(places == 11, "look, rows, two bodies, rows, two lanes, number, two rows, commit")
    }

    @Test(arguments: codes)
    func quarantiningWhatCrashedLeavesNothingByHalves(code: String) async throws {
        let places = try await atEachStatement(
            code: code,
            prepare: { queue in
                for (id, lane) in [("1", "a"), ("2", "b")] { _ = try await queue.enqueue(submission(id, client: lane)) }
                for process in 0..<3 {
                    try await queue.takeOverLeases(owner: "process \(process)")
                    _ = try await queue.leaseAll("process \(process)")
                }
                try await queue.takeOverLeases(owner: "o")
            },
            change: { try await $0.leaseAll().map(\.submissionID) == ["2"] })
        #expect(places > 8)
    }

    @Test(arguments: codes)
    func settlingLeavesNothingByHalves(code: String) async throws {
        let places = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
                let leased = try await queue.leaseAll()
                for waiting in leased.prefix(2) { try await queue.settle(waiting, .held) }
            },
            change: { queue in
                // What the lease said is known: it is the first of this store.
                let contract = QueuedSubmission(
                    number: 3, clientID: "client-1", lane: "client-1", submissionID: "3", digest: "d1", format: .jwe,
                    body: Data(), receivedAt: time(), leaseOwner: "o", lease: 1)
                let outcome = SubmissionOutcome(status: .stored, releasesHeld: true)
                return try await queue.settle(contract, as: outcome, at: time(9))
            })
        #expect(places == 10, "held, change, row, body, waiting, two changes and rows, commit")
    }

    @Test(arguments: codes)
    func postponingAndReleasingLeaveNothingByHalves(code: String) async throws {
        let postponed = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
                _ = try await queue.leaseAll()
            },
            change: { queue in
                let first = QueuedSubmission(
                    number: 1, clientID: "client-1", lane: "client-1", submissionID: "1", digest: "d1", format: .jwe,
                    body: Data(), receivedAt: time(), leaseOwner: "o", lease: 1)
                try await queue.postpone(first, isFailure: true)
                return true
            })
        #expect(postponed == 4)
        let released = try await atEachStatement(
            code: code,
            prepare: { queue in
                for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
                for leased in try await queue.leaseAll() { try await queue.settle(leased, .held, "key-unknown") }
            },
            change: { try await $0.release(.reason("key-unknown"), at: time(9)) == 2 })
        #expect(released == 7)
    }
}
