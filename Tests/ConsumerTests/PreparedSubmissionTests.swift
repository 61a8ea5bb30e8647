import Foundation
import Storage
import Submissions
import Testing
import Wire

@testable import Consumer

/// The result of reading a submission ahead, during the recording of the previous one, counts only if that recording
/// changed nothing relevant.
@Suite struct PreparedSubmissionTests {
    /// Queues payloads of one device.
    private func queue(_ payloads: [String], _ fixture: ConsumerFixture) async throws {
        let client = try await fixture.client()
        for (index, payload) in payloads.enumerated() {
            let submissionID = UUID().uuidString.lowercased()
            let header = try SubmissionHeader(submissionID: submissionID, sequence: Int64(index + 1))
            let sealed = try SealedEnvelope.seal(Data(payload.utf8), as: header, to: [fixture.keys[0].publicKey])
            _ = try await fixture.queue.enqueue(
                NewSubmission(
                    clientID: client, submissionID: submissionID, digest: submissionID, format: .jwe,
                    body: sealed.bytes,
                    receivedAt: Date()), quota: nil)
        }
    }

    /// Queues payloads of one device and leases them in their order.
    private func leased(_ payloads: [String], _ fixture: ConsumerFixture) async throws -> [QueuedSubmission] {
        try await queue(payloads, fixture)
        return try await fixture.queue.lease(owner: "test", limit: 10, duration: 3_600, now: Date(), isIdle: true)
    }

    @Test func dataThatWasReadBeforeItsContractIsStored() async throws {
        let fixture = try await ConsumerFixture()
        let deviceQueue = try await leased([ConsumerFixture.contract("p1"), ConsumerFixture.response("p1")], fixture)
        let ahead = try await fixture.processor.prepare(deviceQueue[1])
        #expect(try await fixture.processor.process(deviceQueue[0]).status == .stored)
        #expect(try await fixture.processor.record([ahead]).isEmpty, "the sender has a consent now")
        #expect(try await fixture.processor.process(deviceQueue[1], prepared: ahead).status == .stored)
        try await fixture.close()
    }

    /// Also for data that would be quarantined for its content.
    @Test(arguments: [false, true]) func dataThatWasReadBeforeTheWithdrawalIsRefused(isInvalid: Bool) async throws {
        let fixture = try await ConsumerFixture()
        let data = ConsumerFixture.response("p1")
        let deviceQueue = try await leased(
            [
                ConsumerFixture.contract("p1", id: "c1"), ConsumerFixture.withdrawal("p1", contract: "c1"),
                isInvalid ? data.replacingOccurrences(of: "linkId", with: "link") : data,
            ], fixture)
        #expect(try await fixture.processor.process(deviceQueue[0]).status == .stored)
        let ahead = try await fixture.processor.prepare(deviceQueue[2])
        #expect(try await fixture.processor.process(deviceQueue[1]).status == .stored)
        let outcome = try await fixture.processor.process(deviceQueue[2], prepared: ahead)
        #expect(outcome.status == .refused && outcome.reasonCode == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func submissionReadAheadIsNotReadAgain() async throws {
        let fixture = try await ConsumerFixture()
        let deviceQueue = try await leased(
            [
                ConsumerFixture.contract("p1"), ConsumerFixture.response("p1"),
                ConsumerFixture.response("p1", answer: 2),
            ],
            fixture)
        #expect(try await fixture.processor.process(deviceQueue[0]).status == .stored)
        let ahead = try await fixture.processor.prepare(deviceQueue[1])
        // The content of one submission, passed for another, is recorded as it is.
        let passed = PreparedSubmission(submission: deviceQueue[2], sender: ahead.sender, content: ahead.content)
        #expect(try await fixture.processor.record([passed]).map(\.status) == [.stored])
        let answers = try await fixture.database.read {
            try $0.query("SELECT nval_num FROM observation_fact WHERE modifier_cd = '@'")
        }
        #expect(try answers.map { try $0.real("nval_num") } == [1])
        // A recorded submission is not read.
        #expect(try await fixture.processor.prepare(deviceQueue[2]).content == nil)
        try await fixture.close()
    }

    @Test func submissionsOfADeviceAreProcessedInOrder() async throws {
        let fixture = try await ConsumerFixture()
        try await queue(
            [ConsumerFixture.contract("p1", id: "c1")] + (1...5).map { ConsumerFixture.response("p1", answer: $0) }
                + [ConsumerFixture.withdrawal("p1", contract: "c1"), ConsumerFixture.response("p1", answer: 6)],
            fixture)
        #expect(try await fixture.service().drain() == 8)
        let settled = try await fixture.queueStore.read {
            try $0.query("SELECT status FROM submission ORDER BY number").map { try $0.text("status") }
        }
        #expect(settled == Array(repeating: "stored", count: 7) + ["refused"])
        let answers = try await fixture.database.read {
            try $0.query("SELECT nval_num FROM observation_fact WHERE modifier_cd = '@' ORDER BY encounter_num")
        }
        #expect(try answers.map { try $0.real("nval_num") } == [1, 2, 3, 4, 5])
        try await fixture.close()
    }
}
