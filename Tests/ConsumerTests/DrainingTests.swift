import Foundation
import Logging
import Storage
import Submissions
import TestSupport
import Testing

@testable import Consumer

@Suite(.timeLimit(.minutes(15))) struct DrainingTests {
    @Test func slowSubmissionDoesNotBlockOtherDevices() async throws {
        let fixture = try await ConsumerFixture()
        let slow = try await fixture.client()
        let others = [try await fixture.client(), try await fixture.client()]
        for (number, client) in ([slow] + others).enumerated() {
            try await fixture.send(ConsumerFixture.contract("p\(number)"), from: client)
        }
        let dear = try await fixture.enqueue(ConsumerFixture.response("p0"), from: slow)
        // More submissions than one lease takes.
        var good: [String] = []
        for number in 0..<3 * ConsumerService.batchSize {
            let other = number % others.count
            good.append(
                try await fixture.enqueue(ConsumerFixture.response("p\(other + 1)"), from: others[other]))
        }
        // The slow submission is settled only after all others.
        let queue = SlowQueue(queue: fixture.queue, slow: dear, after: good)
        let handled = try await fixture.service(over: queue).drain()
        #expect(handled == good.count + 1)
        #expect(try await fixture.queue.show(submissionID: dear).first?.status == .stored)
        #expect(await queue.waited.value, "the others were settled while it was handled")
        try await fixture.close()
    }

    @Test func busyDevicesDoNotBlockOthers() async throws {
        let fixture = try await ConsumerFixture()
        // More devices than are handled concurrently, each with several turns of submissions before those of the last.
        var clients: [String] = []
        for number in 0...ConsumerService.maximumDeviceQueues {
            clients.append(try await fixture.client())
            try await fixture.send(ConsumerFixture.contract("p\(number)"), from: clients[number])
        }
        for number in 0..<ConsumerService.maximumDeviceQueues {
            for _ in 0..<4 * ConsumerService.batchSize {
                _ = try await fixture.enqueue(ConsumerFixture.response("p\(number)"), from: clients[number])
            }
        }
        let late = try await fixture.enqueue(
            ConsumerFixture.response("p\(ConsumerService.maximumDeviceQueues)"),
            from: clients[ConsumerService.maximumDeviceQueues])
        let all = 4 * ConsumerService.maximumDeviceQueues * ConsumerService.batchSize
        #expect(try await fixture.service().drain() == all + 1)
        let settled = try await fixture.queueStore.read { transaction in
            try transaction.query("SELECT submission_id FROM submission ORDER BY change").map {
                try $0.text("submission_id")
            }
        }
        let index = try #require(settled.firstIndex(of: late))
        // One turn of each device, and the submissions of the next turn that they began meanwhile.
        #expect(index <= all / 2, "\(index) of \(all)")
        try await fixture.close()
    }

    @Test func submissionArrivingDuringHandlingIsHandledConcurrently() async throws {
        let fixture = try await ConsumerFixture()
        let (slow, other) = (try await fixture.client(), try await fixture.client())
        try await fixture.send(ConsumerFixture.contract("p0"), from: slow)
        try await fixture.send(ConsumerFixture.contract("p1"), from: other)
        let dear = try await fixture.enqueue(ConsumerFixture.response("p0"), from: slow)
        let late = UUID().uuidString.lowercased()
        let queue = SlowQueue(queue: fixture.queue, slow: dear, after: [late]) {
            _ = try await fixture.enqueue(ConsumerFixture.response("p1"), from: other, submissionID: late)
        }
        #expect(try await fixture.service(over: queue).drain() == 2)
        #expect(await queue.waited.value)
        try await fixture.close()
    }
}

/// A queue in which one submission is settled only after others.
struct SlowQueue: SubmissionQueue {
    let queue: SQLSubmissionQueue
    let slow: String
    let after: [String]
    /// Runs just before the slow submission is settled.
    var meanwhile: @Sendable () async throws -> Void = {}
    /// Whether the others were settled in time.
    let waited = Flag()
    /// Number of leases requested from the queue.
    let leases = Counter()

    actor Counter {
        private(set) var value = 0
        func count() { value += 1 }
    }

    actor Flag {
        private(set) var value = false
        func set() { value = true }
    }

    func settle(_ settlements: [Settlement], at: Date) async throws -> [Bool] {
        if settlements.contains(where: { $0.submission.submissionID == slow }) {
            try await meanwhile()
            let deadline = Patience.deadline
            while ContinuousClock.now < deadline {
                var waiting = 0
                for id in after where try await queue.show(submissionID: id).first?.status != .stored { waiting += 1 }
                if waiting == 0 {
                    await waited.set()
                    break
                }
                try await _Concurrency.Task.sleep(for: .milliseconds(10))
            }
        }
        return try await queue.settle(settlements, at: at)
    }

    func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult {
        try await queue.enqueue(submission, quota: quota)
    }
    func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool, passingOver enrolmentIDs: [String]
    ) async throws -> [QueuedSubmission] {
        await leases.count()
        return try await queue.lease(
            owner: owner, limit: limit, duration: duration, now: now, isIdle: isIdle, passingOver: enrolmentIDs)
    }
    func takeOverLeases(owner: String) async throws { try await queue.takeOverLeases(owner: owner) }
    func leaseOwners() async throws -> [String] { try await queue.leaseOwners() }
    func endLeases(of owner: String) async throws { try await queue.endLeases(of: owner) }
    func renew(owner: String, duration: TimeInterval, now: Date) async throws {
        try await queue.renew(owner: owner, duration: duration, now: now)
    }
    func giveBack(owner: String) async throws { try await queue.giveBack(owner: owner) }
    func isHeld(_ submission: QueuedSubmission) async throws -> Bool { try await queue.isHeld(submission) }
    func release(_ selection: HeldSelection, at: Date) async throws -> Int {
        try await queue.release(selection, at: at)
    }
    func postpone(_ submission: QueuedSubmission, isFailure: Bool) async throws {
        try await queue.postpone(submission, isFailure: isFailure)
        // A failure is known only after the queue was read again.
        let (before, deadline) = (await leases.value, Patience.deadline)
        while await leases.value < before + 2, ContinuousClock.now < deadline {
            try await _Concurrency.Task.sleep(for: .milliseconds(5))
        }
    }
    func status(now: Date) async throws -> QueueStatus { try await queue.status(now: now) }
    func show(submissionID: String?) async throws -> [SubmissionSummary] {
        try await queue.show(submissionID: submissionID)
    }
    func retry(submissionID: String) async throws -> Bool { try await queue.retry(submissionID: submissionID) }
    func retryAllQuarantined() async throws -> Int { try await queue.retryAllQuarantined() }
    func discard(submissionID: String, at: Date) async throws -> Bool {
        try await queue.discard(submissionID: submissionID, at: at)
    }
    func deliveries(enrolmentID: String, after: Int64, limit: Int) async throws -> [Delivery] {
        try await queue.deliveries(enrolmentID: enrolmentID, after: after, limit: limit)
    }
    func missing(enrolmentID: String, limit: Int) async throws -> [MissingSequences] {
        try await queue.missing(enrolmentID: enrolmentID, limit: limit)
    }
}
