import Foundation
import Testing

@testable import Storage

/// What every driver of ``SubmissionQueue`` must do.
@Suite("The submission queue", .timeLimit(.minutes(2)))
struct QueueContractTests {
    @Test(arguments: Engine.allCases)
    func theSameSubmissionIsStoredOnceAndOtherBytesConflict(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            #expect(try await queue.enqueue(submission("a")) == .accepted)
            #expect(try await queue.enqueue(submission("a")) == .duplicate)
            #expect(try await queue.enqueue(submission("a", digest: "d2")) == .conflict)
            #expect(try await queue.enqueue(submission("a", client: "client-2")) == .accepted)
            #expect(try await queue.status(now: time()).depth == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func ofAHundredAtOnceOneIsAccepted(engine: Engine) async throws {
        try await engine.withQueue { queue, database in
            // A second queue on the same database, as a second process would have.
            let other = SQLSubmissionQueue(database: database)
            let results = try await withThrowingTaskGroup(of: EnqueueResult.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        try await (index % 2 == 0 ? queue : other).enqueue(
                            submission("same", digest: index < 90 ? "d1" : "d2"))
                    }
                }
                return try await group.reduce(into: [EnqueueResult]()) { $0.append($1) }
            }
            #expect(results.count(where: { $0 == .accepted }) == 1)
            #expect(results.contains(.conflict) && results.contains(.duplicate))
            #expect(try await queue.status(now: time()).depth == 1)
            let leased = try await queue.lease(owner: "o", limit: 10, duration: 1, now: time())
            #expect(leased.map(\.body) == [Data("sealed".utf8)])
        }
    }

    @Test(arguments: Engine.allCases)
    func manyDifferentOnesAtOnceAreAllStored(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<300 {
                    group.addTask { () async throws in
                        #expect(try await queue.enqueue(submission("s\(index)")) == .accepted)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await queue.status(now: time()).depth == 300)
            let changes = try await queue.deliveries(clientID: "client-1", after: 0, limit: 1000).map(
                \.change)
            #expect(Set(changes).count == 300 && changes == changes.sorted())
        }
    }

    @Test(arguments: Engine.allCases)
    func whatWasGivenComesBack(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            _ = try await queue.enqueue(
                NewSubmission(
                    clientID: "c", lane: "l", submissionID: "id", digest: "d", format: .c3pro, sequence: 7,
                    resourceTypeHint: "Patient", resourceIDHint: "p", body: Data([0, 1, 255]),
                    receivedAt: time(0.123)))
            let leased = try #require(
                try await queue.lease(owner: "o", limit: 1, duration: 1, now: time(1)).first)
            #expect(leased.clientID == "c" && leased.lane == "l" && leased.submissionID == "id")
            #expect(leased.digest == "d" && leased.format == .c3pro && leased.sequence == 7)
            #expect(leased.resourceTypeHint == "Patient" && leased.resourceIDHint == "p")
            #expect(leased.body == Data([0, 1, 255]) && leased.attempts == 0)
            #expect(abs(leased.receivedAt.timeIntervalSince(time(0.123))) < 0.001)
        }
    }

    @Test(arguments: Engine.allCases)
    func leasesKeepTheOrderOfEachClient(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            for (id, client) in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("b2", "b")] {
                _ = try await queue.enqueue(submission(id, client: client))
            }
            // The first owner takes a1; the rest of a's lane must wait for it.
            #expect(try await queue.leaseNumbers("one", limit: 1) == ["a1"])
            #expect(try await queue.leaseNumbers("two") == ["b1", "b2"])
            #expect(try await queue.leaseNumbers("three") == [])
            // The owner itself gets its own again, never a2 alone.
            #expect(try await queue.leaseNumbers("one") == ["a1", "a2"])
            // Once the lease has expired, another takes over from the start.
            #expect(try await queue.leaseNumbers("three", at: time(31)) == ["a1", "b1", "a2", "b2"])
            #expect(try await queue.leaseNumbers("one", at: time(32)) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func aReregisteredClientStaysInItsLane(engine: Engine) async throws {
        try await engine.withQueue { queue, database in
            _ = try await queue.enqueue(submission("1", client: "old", lane: "lane"))
            _ = try await queue.enqueue(submission("2", client: "new", lane: "lane"))
            #expect(try await queue.enqueue(submission("1", client: "new", lane: "lane")) == .duplicate)
            #expect(try await queue.leaseNumbers("one", limit: 1) == ["1"])
            #expect(try await queue.leaseNumbers("two") == [])
            #expect(
                try await queue.deliveries(clientID: "new", after: 0, limit: 9).map(\.submissionID) == [
                    "1", "2",
                ])
            #expect(
                try await queue.deliveries(lane: "lane", after: 0, limit: 9).map(\.submissionID) == [
                    "1", "2",
                ])
            try await queue.settle(1, as: SubmissionOutcome(status: .held, subject: "p"))
            let released = try await database.write {
                try queue.releaseHeld(clientID: "new", subject: "p", at: time(), in: $0)
            }
            #expect(released == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func settlingIsIdempotentAndFinalStays(engine: Engine) async throws {
        try await engine.withQueue { queue, database in
            _ = try await queue.enqueue(submission("a"))
            let number = try #require(
                try await queue.lease(owner: "o", limit: 1, duration: 30, now: time()).first
            )
            .number
            let stored = SubmissionOutcome(
                status: .stored, subject: "p",
                versionIDs: ["Observation/x/_history/1", "Observation/y/_history/1"],
                keyID: "k")
            try await queue.settle(number, as: stored)
            let first = try await queue.deliveries(clientID: "client-1", after: 0, limit: 10)
            try await queue.settle(number, as: stored, at: time(90))
            try await queue.settle(
                number, as: SubmissionOutcome(status: .refused, reasonCode: "late"), at: time(90))
            #expect(try await queue.deliveries(clientID: "client-1", after: 0, limit: 10) == first)
            #expect(
                first.map(\.status) == [.stored] && first.first?.versionID == "Observation/x/_history/1")
            // The sealed bytes are gone, the digest is kept.
            let bodies = try await database.read {
                try $0.query("SELECT number FROM submission_body").count
            }
            #expect(bodies == 0)
            #expect(try await queue.enqueue(submission("a")) == .duplicate)
            #expect(try await queue.enqueue(submission("a", digest: "other")) == .conflict)
            let shown = try #require(try await queue.show(submissionID: "a").first)
            #expect(shown.versionIDs == stored.versionIDs && shown.keyID == "k" && shown.subject == "p")
            #expect(shown.size == 6)
            #expect(try await queue.show(submissionID: nil).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func settlingIsPartOfTheCallersTransaction(engine: Engine) async throws {
        struct Undo: Error {}
        try await engine.withQueue { queue, database in
            _ = try await queue.enqueue(submission("a"))
            await #expect(throws: Undo.self) {
                try await database.write { transaction in
                    try queue.settle(1, as: SubmissionOutcome(status: .stored), at: time(), in: transaction)
                    throw Undo()
                }
            }
            #expect(try await queue.leaseNumbers("o") == ["a"])
        }
    }

    @Test(arguments: Engine.allCases)
    func wrongSettlingsAreRefused(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            _ = try await queue.enqueue(submission("a"))
            let unknown = await #expect(throws: StorageError.self) {
                try await queue.settle(99, as: SubmissionOutcome(status: .stored))
            }
            #expect(unknown?.code == "queue-unknown-submission")
            let invalid = await #expect(throws: StorageError.self) {
                try await queue.settle(1, as: SubmissionOutcome(status: .received))
            }
            #expect(invalid?.code == "queue-outcome-invalid")
        }
    }

    @Test(arguments: Engine.allCases)
    func heldOnesComeBackInTheirOldOrder(engine: Engine) async throws {
        try await engine.withQueue { queue, database in
            for id in ["q1", "q2", "q3", "contract"] { _ = try await queue.enqueue(submission(id)) }
            _ = try await queue.enqueue(submission("x", client: "other"))
            let leased = try await queue.lease(owner: "o", limit: 10, duration: 30, now: time())
            for entry in leased where entry.submissionID != "contract" {
                let subject = entry.submissionID == "q2" ? "someone-else" : "p"
                try await queue.settle(
                    entry.number,
                    as: SubmissionOutcome(status: .held, reasonCode: "no-consent", subject: subject))
            }
            #expect(try await queue.status(now: time()).held == 4)
            let released = try await database.write {
                try queue.releaseHeld(clientID: "client-1", subject: "p", at: time(70), in: $0)
            }
            #expect(released == 2)
            #expect(try await queue.leaseNumbers("o", at: time(71)) == ["q1", "q3", "contract"])
            let all = try await database.write {
                try queue.releaseHeld(clientID: "client-1", subject: nil, at: time(70), in: $0)
            }
            #expect(all == 1)
            #expect(try await queue.leaseNumbers("o", at: time(71)) == ["q1", "q2", "q3", "contract"])
            #expect(try await queue.status(now: time()).held == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func aFailedAttemptGivesTheLaneBack(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
            _ = try await queue.enqueue(submission("other", client: "b"))
            let leased = try await queue.lease(owner: "one", limit: 10, duration: 30, now: time())
            try await queue.settle(leased[0].number, as: SubmissionOutcome(status: .stored))
            #expect(try await queue.failedAttempt(leased[1].number, at: time(1)) == 1)
            let again = try await queue.lease(owner: "two", limit: 10, duration: 30, now: time(1))
            #expect(again.map(\.submissionID) == ["2", "3"])
            #expect(again.map(\.attempts) == [1, 0])
            #expect(try await queue.failedAttempt(leased[1].number, at: time(2)) == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func parkedOnesAreRetriedOrDiscardedByTheStaff(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
            for number in Int64(1)...3 {
                try await queue.settle(
                    number,
                    as: SubmissionOutcome(status: .parked, reasonCode: "envelope-damaged", detail: "Why."))
            }
            #expect(
                try await queue.status(now: time())
                    == QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, parked: 3))
            #expect(try await queue.leaseNumbers("o") == [])
            #expect(try await queue.retry(submissionID: "2"))
            #expect(try await !queue.retry(submissionID: "2"))
            #expect(try await !queue.retry(submissionID: "none"))
            #expect(try await queue.leaseNumbers("o") == ["2"])
            #expect(try await queue.discard(submissionID: "1", at: time(80)))
            #expect(try await !queue.discard(submissionID: "1", at: time(80)))
            #expect(try await !queue.retry(submissionID: "1"))
            #expect(try await queue.retryAllParked() == 1)
            let shown = try await queue.show(submissionID: nil)
            #expect(shown.map(\.status) == [.refused, .received, .received])
            #expect(shown.first?.reasonCode == "discarded")
        }
    }

    @Test(arguments: Engine.allCases)
    func statusTellsTheOldest(engine: Engine) async throws {
        try await engine.withQueue { queue, _ in
            #expect(
                try await queue.status(now: time())
                    == QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, parked: 0))
            _ = try await queue.enqueue(submission("1", at: time(5)))
            _ = try await queue.enqueue(submission("2", at: time(9)))
            let status = try await queue.status(now: time(20))
            #expect(status == QueueStatus(depth: 2, oldestReceivedAt: time(5), held: 0, parked: 0))
        }
    }
}
