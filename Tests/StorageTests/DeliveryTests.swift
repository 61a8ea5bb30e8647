import Foundation
import Testing

@testable import Storage

@Suite("Deliveries", .timeLimit(.minutes(2)))
struct DeliveryTests {
    @Test(arguments: Engine.allCases)
    func aChangeReappearsBehindTheCursor(engine: Engine) async throws {
        try await engine.withQueue { queue, database in
            for id in ["1", "2"] { _ = try await queue.enqueue(submission(id)) }
            _ = try await queue.enqueue(submission("foreign", client: "b"))
            let first = try await queue.deliveries(clientID: "client-1", after: 0, limit: 10)
            #expect(
                first.map(\.submissionID) == ["1", "2"] && first.allSatisfy { $0.status == .received })
            let cursor = try #require(first.last).change
            #expect(try await queue.deliveries(clientID: "client-1", after: cursor, limit: 10).isEmpty)
            try await queue.settle(
                1, as: SubmissionOutcome(status: .held, reasonCode: "no-consent"), at: time(1))
            try await queue.settle(2, as: SubmissionOutcome(status: .stored), at: time(2))
            _ = try await database.write {
                try queue.releaseHeld(clientID: "client-1", subject: nil, at: time(3), in: $0)
            }
            try await queue.settle(
                1, as: SubmissionOutcome(status: .refused, reasonCode: "withdrawn"), at: time(4))
            let second = try await queue.deliveries(clientID: "client-1", after: cursor, limit: 10)
            #expect(
                second.map(\.submissionID) == ["2", "1"] && second.map(\.status) == [.stored, .refused])
            #expect(second.map(\.at) == [time(2), time(4)] && second.last?.reasonCode == "withdrawn")
            let page = try await queue.deliveries(clientID: "client-1", after: cursor, limit: 1)
            #expect(page.map(\.submissionID) == ["2"])
        }
    }

    /// A reader that follows the cursor while others change things must end with the newest status of everything.
    @Test(arguments: Engine.allCases)
    func theCursorNeverMissesAChange(engine: Engine) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        try await engine.withQueue { queue, _ in
            let count = 60
            for index in 0..<count { _ = try await queue.enqueue(submission("s\(index)")) }
            let reader = Task {
                var seen: [String: SubmissionStatus] = [:]
                var cursor: Int64 = 0
                let deadline = ContinuousClock.now + .seconds(30)
                while seen.values.count(where: \.isFinal) < count, ContinuousClock.now < deadline {
                    for delivery in try await queue.deliveries(clientID: "client-1", after: cursor, limit: 7) {
                        #expect(delivery.change > cursor)
                        cursor = delivery.change
                        seen[delivery.submissionID] = delivery.status
                    }
                    await Task.yield()
                }
                return seen
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask {
                        var generator = SeededGenerator(state: seed &+ UInt64(part))
                        for number in stride(from: part + 1, through: count, by: 4).shuffled(using: &generator) {
                            if Bool.random(using: &generator) {
                                try await queue.settle(Int64(number), as: SubmissionOutcome(status: .held))
                            }
                            let end: SubmissionStatus = Bool.random(using: &generator) ? .stored : .refused
                            try await queue.settle(Int64(number), as: SubmissionOutcome(status: end))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let seen = try await reader.value
            #expect(seen.count == count)
            for delivery in try await queue.deliveries(clientID: "client-1", after: 0, limit: 1000) {
                #expect(seen[delivery.submissionID] == delivery.status, "seed \(seed)")
            }
        }
    }
}
