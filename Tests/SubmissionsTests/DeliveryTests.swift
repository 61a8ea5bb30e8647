import Foundation
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

@Suite(.timeLimit(.minutes(10)))
struct DeliveryTests {
    @Test(arguments: Engine.allCases)
    func changeAppearsAgainAfterTheCursor(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
            _ = try await queue.enqueue(submission("foreign", client: "b"))
            let first = try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 10)
            #expect(
                first.map(\.submissionID) == ["1", "2"] && first.allSatisfy { $0.status == .received })
            let cursor = try #require(first.last).change
            #expect(try await queue.deliveries(enrolmentID: "client-1", after: cursor, limit: 10).isEmpty)
            let leased = try await queue.leaseAll().filter { $0.enrolmentID == "client-1" }
            try await queue.settle(leased[0], status: .held, reason: "no-consent", at: time(1))
            try await queue.settle(leased[1], status: .stored, at: time(2))
            #expect(try await queue.release(.deviceQueue("client-1"), at: time(3)) == 1)
            let again = try #require(try await queue.leaseAll().first { $0.submissionID == "1" })
            try await queue.settle(again, status: .refused, reason: "withdrawn", at: time(4))
            let second = try await queue.deliveries(enrolmentID: "client-1", after: cursor, limit: 10)
            #expect(
                second.map(\.submissionID) == ["2", "1"] && second.map(\.status) == [.stored, .refused])
            #expect(second.map(\.at) == [time(2), time(4)] && second.last?.reasonCode == "withdrawn")
            let page = try await queue.deliveries(enrolmentID: "client-1", after: cursor, limit: 1)
            #expect(page.map(\.submissionID) == ["2"])
        }
    }

    /// A reader that follows the cursor during changes must end with the newest status of everything.
    @Test(arguments: Engine.allCases)
    func theCursorNeverMissesAChange(engine: Engine) async throws {
        let seed = Seeded.newSeed()
        try await engine.withQueue { queue, _ async throws in
            let count = 60
            for index in 0..<count { _ = try await queue.enqueue(submission("s\(index)")) }
            let reader = Task {
                var seen: [String: SubmissionStatus] = [:]
                var cursor: Int64 = 0
                let deadline = Patience.deadline
                while seen.values.count(where: \.isFinal) < count, ContinuousClock.now < deadline {
                    for delivery in try await queue.deliveries(enrolmentID: "client-1", after: cursor, limit: 7) {
                        #expect(delivery.change > cursor)
                        cursor = delivery.change
                        seen[delivery.submissionID] = delivery.status
                    }
                    await Task.yield()
                }
                return seen
            }
            // Concurrent work for several device queues: each part leases, settles, and releases its held submissions.
            let leased = try await queue.leaseAll()
            #expect(leased.count == count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask {
                        var generator = Seeded(seed &+ UInt64(part))
                        for index in stride(from: part, to: count, by: 4).shuffled(using: &generator) {
                            if Bool.random(using: &generator) {
                                try await queue.settle(leased[index], status: .held)
                                continue
                            }
                            try await queue.settle(
                                leased[index], status: Bool.random(using: &generator) ? .stored : .refused)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await queue.release(.deviceQueue("client-1"), at: time(61))
            for submission in try await queue.leaseAll(at: time(62)) {
                try await queue.settle(submission, status: .stored)
            }
            let seen = try await reader.value
            #expect(seen.count == count)
            for delivery in try await queue.deliveries(enrolmentID: "client-1", after: 0, limit: 1000) {
                #expect(seen[delivery.submissionID] == delivery.status, "seed \(seed)")
            }
        }
    }
}
