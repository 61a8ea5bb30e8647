import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// Submissions that wait for consent, for a time or for a key.
@Suite(.timeLimit(.minutes(10)))
struct HeldTests {
    @Test(arguments: Engine.allCases)
    func releasedSubmissionsKeepTheirOrder(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for id in ["q1", "q2", "q3", "contract"] { _ = try await queue.enqueue(submission(id)) }
            _ = try await queue.enqueue(submission("x", client: "other"))
            let leased = try await queue.leaseAll()
            for entry in leased where entry.submissionID != "contract" {
                #expect(try await queue.settle(entry, status: .held, reason: "no-consent"))
            }
            #expect(try await queue.status(now: time()).held == 4)
            // The settlement of the Contract releases the device queue in the same transaction.
            let outcome = SubmissionOutcome(status: .stored, releasesHeld: true)
            #expect(try await queue.settle(leased[3], as: outcome, at: time(70)))
            #expect(try await queue.leaseNumbers("o", at: time(71)) == ["q1", "q2", "q3"])
            #expect(try await queue.status(now: time()).held == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func submissionHeldUntilATimeIsReleasedThen(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for id in ["1", "2", "3"] { _ = try await queue.enqueue(submission(id)) }
            let leased = try await queue.leaseAll()
            let untils: [Date?] = [time(100), time(200), nil]
            for (entry, until) in zip(leased, untils) {
                let outcome = SubmissionOutcome(status: .held, reasonCode: "withdrawn", heldUntil: until)
                #expect(try await queue.settle(entry, as: outcome, at: time(1)))
            }
            #expect(try await queue.release(.due(time(99.999)), at: time(99)) == 0)
            #expect(try await queue.release(.due(time(100)), at: time(100)) == 1)
            let first = try await queue.leaseAll(at: time(100))
            #expect(first.map(\.submissionID) == ["1"])
            // Held again without a time, it is not released at its earlier time.
            #expect(try await queue.settle(first[0], status: .held, reason: "no-consent"))
            #expect(try await queue.release(.due(time(1000)), at: time(1000)) == 1)
            let second = try await queue.leaseAll(at: time(1000))
            #expect(second.map(\.submissionID) == ["2"])
            // A quarantined submission has no release time.
            let quarantined = SubmissionOutcome(status: .quarantined, heldUntil: time(1))
            #expect(try await queue.settle(second[0], as: quarantined, at: time(1000)))
            #expect(try await queue.release(.due(time(2000)), at: time(2000)) == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func submissionsHeldForAReasonAreReleasedByIt(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for (id, enrolmentID) in [("1", "a"), ("2", "b"), ("3", "a"), ("4", "c")] {
                _ = try await queue.enqueue(submission(id, client: enrolmentID))
            }
            let leased = try await queue.leaseAll()
            try await queue.settle(leased[0], status: .held, reason: "key-unknown")
            try await queue.settle(leased[1], status: .held, reason: "no-consent")
            try await queue.settle(leased[2], status: .quarantined, reason: "key-unknown")
            try await queue.settle(leased[3], status: .held, reason: "key-unknown")
            #expect(try await queue.release(.reason("key-unknown"), at: time(70)) == 2)
            #expect(try await queue.release(.reason("key-unknown"), at: time(70)) == 0)
            #expect(try await queue.leaseNumbers("o", at: time(71)) == ["1", "4"])
            #expect(
                try await queue.status(now: time())
                    == QueueStatus(depth: 2, oldestReceivedAt: time(), held: 1, quarantined: 1))
        }
    }

    @Test(arguments: Engine.allCases)
    func releaseIsReportedToTheDeviceWithoutTheReason(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(submission("1"))
            let leased = try await queue.leaseAll()
            try await queue.postpone(leased[0], isFailure: true)
            try await queue.settle(try await queue.leaseAll()[0], status: .held, reason: "no-consent")
            let held = try #require(try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 9).first)
            #expect(held.status == .held && held.reasonCode == "no-consent")
            try await queue.release(.deviceQueue("client-1"), at: time(70))
            let released = try await queue.deliveries(enrolmentID: "client-1", after: held.change, limit: 9)
            #expect(released.map(\.status) == [.received] && released.map(\.at) == [time(70)])
            #expect(released.first?.reasonCode == nil)
            #expect(try await queue.leaseAll().map(\.attempts) == [0])
        }
    }
}
