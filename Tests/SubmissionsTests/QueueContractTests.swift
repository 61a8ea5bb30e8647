import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// The contract of every driver of ``SubmissionQueue``.
@Suite(.timeLimit(.minutes(10)))
struct QueueContractTests {
    @Test(arguments: Engine.allCases)
    func duplicateSubmissionIsStoredOnceAndOtherBytesConflict(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            #expect(try await queue.enqueue(submission("a")) == .accepted)
            #expect(try await queue.enqueue(submission("a")) == .duplicate)
            #expect(try await queue.enqueue(submission("a", digest: "d2")) == .conflict)
            #expect(try await queue.enqueue(submission("a", client: "client-2")) == .accepted)
            #expect(try await queue.status(now: time()).depth == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func clockSetBackDoesNotMakeLaterSubmissionsOlder(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            let year = 365 * 86_400.0
            for (id, at) in [("a", time()), ("b", time(year)), ("c", time(10)), ("d", time(year + 1))] {
                #expect(try await queue.enqueue(submission(id, at: at)) == .accepted)
            }
            let leased = try await queue.lease(owner: "o", limit: 9, duration: 1, now: time(20), isIdle: true)
            #expect(leased.map(\.submissionID) == ["a", "b", "c", "d"])
            #expect(leased.map(\.receivedAt) == [time(), time(year), time(year), time(year + 1)])
        }
    }

    @Test(arguments: Engine.allCases)
    func clientRevokedDuringTheUploadStoresNothing(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            try await database.write { transaction in
                try transaction.execute(
                    "INSERT INTO enrolment (id, receipt_digest, created_at) VALUES (?, ?, ?)", ["e", "r", "t"])
                for (id, revoked) in [("in", SQLValue.null), ("out", SQLValue(time()))] {
                    try transaction.execute(
                        """
                        INSERT INTO client (id, enrolment_id, secret_digest, created_at, revoked_at)
                        VALUES (?, ?, ?, ?, ?)
                        """, [SQLValue(id), "e", "s", "t", revoked])
                }
            }
            #expect(try await queue.enqueue(submission("a", client: "out", enrolmentID: "e")) == .clientRevoked)
            #expect(try await queue.enqueue(submission("a", client: "in", enrolmentID: "e")) == .accepted)
            #expect(try await queue.enqueue(submission("a", client: "out", enrolmentID: "e")) == .clientRevoked)
            #expect(try await queue.status(now: time()).depth == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func oneOfAHundredConcurrentCopiesIsAccepted(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            // A second queue on the same database, as of a second process.
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
            let leased = try await queue.lease(owner: "o", limit: 10, duration: 1, now: time(), isIdle: true)
            #expect(leased.map(\.body) == [Data("sealed".utf8)])
        }
    }

    @Test(arguments: Engine.allCases)
    func concurrentSubmissionsAreAllStored(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<300 {
                    group.addTask { () async throws in
                        #expect(try await queue.enqueue(submission("s\(index)")) == .accepted)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await queue.status(now: time()).depth == 300)
            let changes = try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 1000).map(
                \.change)
            #expect(Set(changes).count == 300 && changes == changes.sorted())
        }
    }

    @Test(arguments: Engine.allCases)
    func enqueuedSubmissionIsLeasedUnchanged(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(
                NewSubmission(
                    clientID: "c", enrolmentID: "l", submissionID: "id", digest: "d", format: .c3pro, sequence: 7,
                    resourceTypeHint: "Patient", body: Data([0, 1, 255]),
                    receivedAt: time(0.123)))
            let leased = try #require(
                try await queue.lease(owner: "o", limit: 1, duration: 1, now: time(1), isIdle: true).first)
            #expect(leased.clientID == "c" && leased.enrolmentID == "l" && leased.submissionID == "id")
            #expect(leased.digest == "d" && leased.format == .c3pro && leased.sequence == 7)
            #expect(leased.resourceTypeHint == "Patient")
            #expect(leased.body == Data([0, 1, 255]) && leased.attempts == 0)
            #expect(abs(leased.receivedAt.timeIntervalSince(time(0.123))) < 0.001)
        }
    }

    @Test(arguments: Engine.allCases)
    func reregisteredClientStaysInItsDeviceQueue(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(submission("1", client: "old", enrolmentID: "lane"))
            _ = try await queue.enqueue(submission("2", client: "new", enrolmentID: "lane"))
            #expect(try await queue.enqueue(submission("1", client: "new", enrolmentID: "lane")) == .duplicate)
            let leased = try await queue.leaseAll("one", limit: 1)
            #expect(leased.map(\.submissionID) == ["1"])
            #expect(try await queue.leaseNumbers("two") == [])
            #expect(
                try await queue.deliveries(enrolmentID: "lane", after: 0, limit: 9).map(\.submissionID) == ["1", "2"])
            try await queue.settle(leased[0], status: .held)
            #expect(try await queue.release(.deviceQueue("new"), at: time()) == 0)
            #expect(try await queue.release(.deviceQueue("lane"), at: time()) == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func busyOwnerGetsNoMoreSubmissionsOfItsDeviceQueues(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for (id, enrolmentID) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
                _ = try await queue.enqueue(submission(id, client: enrolmentID, enrolmentID: enrolmentID))
            }
            // The first submission of its device queue is held; the second is being handled when the first is released.
            let first = try #require(try await queue.leaseAll(limit: 1).first)
            try await queue.settle(first, status: .held)
            let second = try #require(try await queue.leaseAll(limit: 1).first)
            #expect(second.submissionID == "a2")
            #expect(try await queue.release(.deviceQueue("a"), at: time()) == 1)
            func more() async throws -> [String] {
                try await queue.lease(owner: "o", limit: 9, duration: 30, now: time(), isIdle: false)
                    .map(\.submissionID)
            }
            #expect(try await more() == ["b1"])
            #expect(try await more() == [], "what it handles itself is not handled twice")
            try await queue.settle(second, status: .stored)
            #expect(try await more() == ["a1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func submissionOfACrashIsLeasedOnlyToAnIdleOwner(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(submission("a"))
            #expect(try await queue.leaseNumbers("dead") == ["a"])
            try await queue.takeOverLeases(owner: "o")
            let concurrent = try await queue.lease(owner: "o", limit: 9, duration: 30, now: time(), isIdle: false)
            #expect(concurrent.isEmpty)
            #expect(try await queue.leaseNumbers("o") == ["a"])
        }
    }

    @Test(arguments: Engine.allCases)
    func finalOutcomeStaysAndTheBodyIsDeleted(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            _ = try await queue.enqueue(submission("a"))
            let leased = try #require(try await queue.leaseAll().first)
            let stored = SubmissionOutcome(status: .stored, keyID: "k")
            #expect(try await queue.isHeld(leased))
            #expect(try await queue.settle(leased, as: stored, at: time(60)))
            let first = try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 10)
            #expect(try await !queue.isHeld(leased))
            #expect(try await !queue.settle(leased, as: stored, at: time(90)))
            #expect(try await !queue.settle(leased, status: .refused, reason: "late"))
            #expect(try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 10) == first)
            #expect(first.map(\.status) == [.stored])
            // The sealed bytes are deleted, the digest is kept.
            let bodies = try await database.read { try $0.query("SELECT number FROM submission_body").count }
            #expect(bodies == 0)
            #expect(try await queue.enqueue(submission("a")) == .duplicate)
            #expect(try await queue.enqueue(submission("a", digest: "other")) == .conflict)
            let shown = try #require(try await queue.show(submissionID: "a").first)
            #expect(shown.keyID == "k" && shown.size == 6)
            #expect(try await queue.show(submissionID: nil).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func receivedIsNotAValidOutcome(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(submission("a"))
            let leased = try #require(try await queue.leaseAll().first)
            let invalid = await #expect(throws: StorageError.self) { try await queue.settle(leased, status: .received) }
            #expect(invalid?.code == "queue-outcome-invalid")
            #expect(try await queue.isHeld(leased))
        }
    }

    /// Submissions that wait for consent or for the staff are limited for each device; those about to be handled are
    /// not.
    @Test(arguments: Engine.allCases)
    func deviceWithTooManyWaitingBytesIsOverItsQuota(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            // Six bytes each.
            #expect(try await queue.enqueue(submission("0"), quota: 5) == .overQuota)
            for id in ["1", "2", "3"] { #expect(try await queue.enqueue(submission(id), quota: 12) == .accepted) }
            let leased = try await queue.leaseAll()
            try await queue.settle(leased[0], status: .held, reason: "no-consent")
            #expect(try await queue.enqueue(submission("4"), quota: 12) == .accepted)
            try await queue.settle(leased[1], status: .quarantined, reason: "envelope-damaged")
            let before = try await database.queueContents()
            #expect(try await queue.enqueue(submission("5"), quota: 17) == .overQuota)
            #expect(try await database.queueContents() == before)
            #expect(try await queue.enqueue(submission("5"), quota: 18) == .accepted)
            // A known submission is reported as such, and another device has its own quota.
            #expect(try await queue.enqueue(submission("1"), quota: 0) == .duplicate)
            #expect(try await queue.enqueue(submission("1", digest: "d2"), quota: 0) == .conflict)
            #expect(try await queue.enqueue(submission("6", client: "b"), quota: 6) == .accepted)
            // Stored or refused submissions do not count any more.
            try await queue.settle(leased[2], status: .stored)
            #expect(try await queue.discard(submissionID: "2", at: time(70)))
            #expect(try await queue.enqueue(submission("7"), quota: 12) == .accepted)
        }
    }

    @Test(arguments: Engine.allCases)
    func staffRetriesOrDiscardsQuarantinedSubmissions(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
            for leased in try await queue.leaseAll() {
                let outcome = SubmissionOutcome(status: .quarantined, reasonCode: "envelope-damaged", detail: "Why.")
                #expect(try await queue.settle(leased, as: outcome, at: time(60)))
            }
            #expect(
                try await queue.status(now: time())
                    == QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, quarantined: 3))
            #expect(try await queue.leaseNumbers("o") == [])
            #expect(try await queue.retry(submissionID: "2"))
            #expect(try await !queue.retry(submissionID: "2"))
            #expect(try await !queue.retry(submissionID: "none"))
            let again = try await queue.leaseAll()
            #expect(again.map(\.submissionID) == ["2"])
            #expect(try await queue.discard(submissionID: "1", at: time(80)))
            #expect(try await !queue.discard(submissionID: "1", at: time(80)))
            #expect(try await !queue.retry(submissionID: "1"))
            #expect(try await queue.retryAllQuarantined() == 1)
            let shown = try await queue.show(submissionID: nil)
            #expect(shown.map(\.status) == [.refused, .received, .received])
            #expect(shown.first?.reasonCode == "discarded")
            // The owner of a lease cannot overrule a decision of the staff.
            #expect(try await queue.settle(again[0], status: .held))
            #expect(try await queue.discard(submissionID: "2", at: time(81)))
            #expect(try await !queue.settle(again[0], status: .stored))
        }
    }

    @Test(arguments: Engine.allCases)
    func submissionAfterACrashedOneComesBeforeLaterBegunOnes(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
            let begun = try await queue.lease(owner: "a", limit: 3, duration: 60, now: time(), isIdle: true)
            #expect(try await queue.settle(begun[1], status: .held))
            #expect(try await queue.release(.deviceQueue(begun[1].enrolmentID), at: time()) == 1)
            for owner in ["b", "c"] {
                try await queue.takeOverLeases(owner: owner)
                let alone = try await queue.lease(owner: owner, limit: 3, duration: 60, now: time(), isIdle: true)
                #expect(alone.map(\.submissionID) == ["1"])
            }
            try await queue.takeOverLeases(owner: "d")
            let next = try await queue.lease(owner: "d", limit: 3, duration: 60, now: time(), isIdle: true)
            #expect(next.map(\.submissionID) == ["2"])
            #expect(try await queue.status(now: time()).quarantined == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func statusHasTheTimeOfTheOldestSubmission(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            #expect(
                try await queue.status(now: time())
                    == QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, quarantined: 0))
            _ = try await queue.enqueue(submission("1", at: time(5)))
            _ = try await queue.enqueue(submission("2", at: time(9)))
            let status = try await queue.status(now: time(20))
            #expect(status == QueueStatus(depth: 2, oldestReceivedAt: time(5), held: 0, quarantined: 0))
        }
    }
}
