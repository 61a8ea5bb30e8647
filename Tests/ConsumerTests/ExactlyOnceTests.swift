import FHIR
import Foundation
import Storage
import Submissions
import TestSupport
import Testing
import Wire

@testable import Consumer

/// The queue and the records are two stores: a process can end at any point between them.
@Suite struct ExactlyOnceTests {
    @Test func submissionRecordedBeforeACrashIsRecognisedAndSettled() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.response("p1", answer: 7), from: client)
        // The contract is recorded, and the process ends before the queue is updated.
        _ = try await fixture.queue.enqueue(
            try sealed(ConsumerFixture.contract("p1"), from: client, in: fixture), quota: nil)
        let leased = try await fixture.queue.lease(
            owner: "first", limit: 10, duration: 3_600, now: Date(), isIdle: true)
        #expect(leased.count == 1)
        let outcome = try await fixture.processor.process(leased[0])
        #expect(outcome.status == .stored && outcome.releasesHeld)
        let versions = try await fixture.versions
        // The next process finds it as received, recognises it, and releases the held submissions.
        try await fixture.queue.takeOverLeases(owner: "test")
        let outcomes = try await fixture.drain()
        #expect(outcomes[leased[0].submissionID]?.status == .stored)
        #expect(try await fixture.versions == versions + 1)
        #expect(
            try await fixture.queue.status(now: Date())
                == QueueStatus(depth: 0, oldestReceivedAt: nil, held: 0, quarantined: 0))
        try await fixture.close()
    }

    @Test func otherBytesWithTheSameIDAreProcessed() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let submissionID = UUID().uuidString.lowercased()
        try await fixture.send(ConsumerFixture.response("p1"), from: client, submissionID: submissionID)
        let row = try #require(try await fixture.queue.show(submissionID: submissionID).first)
        let other = try sealed(ConsumerFixture.response("p1", answer: 2), from: client, in: fixture)
        let impostor = QueuedSubmission(
            number: row.number, clientID: client, enrolmentID: client, submissionID: submissionID, digest: "other",
            format: .jwe,
            body: other.body, receivedAt: row.receivedAt)
        let before = try await fixture.versions
        #expect(try await fixture.processor.process(impostor).status == .stored)
        #expect(try await fixture.versions == before + 1)
        try await fixture.close()
    }

    @Test func consumerWithoutTheLeaseRecordsNothing() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.queue.enqueue(
            try sealed(ConsumerFixture.contract("p1"), from: client, in: fixture), quota: nil)
        let stale = try #require(
            try await fixture.queue.lease(owner: "first", limit: 1, duration: 3_600, now: Date(), isIdle: true).first)
        try await fixture.queue.takeOverLeases(owner: "second")
        let taken = try #require(
            try await fixture.queue.lease(owner: "second", limit: 1, duration: 3_600, now: Date(), isIdle: true).first)
        let queue = fixture.queue
        let (count, error) = await fixture.service(owner: "first").handle(deviceQueue: [stale])
        #expect(count == 1 && error == nil)
        #expect(try await fixture.versions == 0)
        let outcome = try await fixture.processor.process(taken)
        #expect(try await queue.settle(stale, as: outcome, at: Date()) == false)
        #expect(try await queue.settle(taken, as: outcome, at: Date()))
        #expect(try await fixture.versions == 1)
        try await fixture.close()
    }

    @Test func aSecondConsumerWaitsUntilTheFirstHasEnded() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.queue.enqueue(
            try sealed(ConsumerFixture.contract("p1"), from: client, in: fixture), quota: nil)
        guard case .alone(let lock) = fixture.service().concurrency else {
            Issue.record("it does not wait")
            return
        }
        var held = try lock()
        #expect(held != nil)
        let second = _Concurrency.Task { try await fixture.service(owner: "second").run() }
        // Time enough to take the lock and the submission, if that were possible.
        for _ in 0..<20 { try await _Concurrency.Task.sleep(for: .milliseconds(10)) }
        #expect(try await fixture.queue.status(now: Date()).depth == 1)
        withExtendedLifetime(held) {}
        held = nil
        let deadline = Patience.deadline
        while try await fixture.queue.status(now: Date()).depth > 0, ContinuousClock.now < deadline {
            try await _Concurrency.Task.sleep(for: .milliseconds(10))
        }
        #expect(try await fixture.queue.status(now: Date()).depth == 0)
        second.cancel()
        try await second.value
        try await fixture.close()
    }

    @Test func concurrentConsumersHandleDifferentDevices() async throws {
        let fixture = try await ConsumerFixture()
        var stored = 0
        for number in 1...24 {
            let client = try await fixture.client()
            _ = try await fixture.queue.enqueue(
                try sealed(ConsumerFixture.contract("p\(number)"), from: client, in: fixture), quota: nil)
            stored += 1
        }
        let consumers = (1...3).map { number in
            let service = fixture.service(owner: "host\(number) 1 word", concurrency: .concurrent)
            return _Concurrency.Task { try await service.run() }
        }
        let deadline = Patience.deadline
        while try await fixture.queue.status(now: Date()).depth > 0, ContinuousClock.now < deadline {
            try await _Concurrency.Task.sleep(for: .milliseconds(10))
        }
        for consumer in consumers { consumer.cancel() }
        for consumer in consumers { try await consumer.value }
        #expect(try await fixture.queue.status(now: Date()).depth == 0)
        #expect(try await fixture.versions == stored)
        try await fixture.close()
    }

    @Test func leasesOfAnEndedConsumerPassImmediatelyToItsSuccessor() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.queue.enqueue(
            try sealed(ConsumerFixture.contract("p1"), from: client, in: fixture), quota: nil)
        // No process has this id.
        let gone = "\(ProcessInfo.processInfo.hostName) 99999999 word"
        let leased = try await fixture.queue.lease(owner: gone, limit: 1, duration: 3_600, now: Date(), isIdle: true)
        #expect(leased.count == 1)
        let service = fixture.service(concurrency: .concurrent)
        let running = _Concurrency.Task { try await service.run() }
        let deadline = Patience.deadline
        while try await fixture.queue.status(now: Date()).depth > 0, ContinuousClock.now < deadline {
            try await _Concurrency.Task.sleep(for: .milliseconds(10))
        }
        running.cancel()
        try await running.value
        #expect(try await fixture.versions == 1)
        try await fixture.close()
    }

    @Test func leaseOfAnotherHostIsKeptUntilItExpires() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.queue.enqueue(
            try sealed(ConsumerFixture.contract("p1"), from: client, in: fixture), quota: nil)
        let now = Date()
        #expect(
            try await fixture.queue.lease(owner: "elsewhere 1 word", limit: 1, duration: 60, now: now, isIdle: true)
                .count == 1)
        // The consumer runs and extends its lease.
        try await fixture.queue.renew(owner: "elsewhere 1 word", duration: 60, now: now.addingTimeInterval(50))
        func lease(after seconds: TimeInterval) async throws -> Int {
            try await fixture.queue.lease(
                owner: "here 2 word", limit: 1, duration: 60, now: now.addingTimeInterval(seconds), isIdle: true
            ).count
        }
        #expect(try await lease(after: 70) == 0)
        #expect(try await lease(after: 111) == 1)
        try await fixture.close()
    }

    private func sealed(_ payload: String, from client: String, in fixture: ConsumerFixture) throws -> NewSubmission {
        let submissionID = UUID().uuidString.lowercased()
        let header = try SubmissionHeader(
            submissionID: submissionID, sequence: 1, fhirVersion: "4.0.1", contentType: .resource)
        let sealed = try SealedEnvelope.seal(Data(payload.utf8), as: header, to: [fixture.keys[0].publicKey])
        return NewSubmission(
            clientID: client, submissionID: submissionID, digest: UUID().uuidString, format: .jwe, body: sealed.bytes,
            receivedAt: Date())
    }
}
