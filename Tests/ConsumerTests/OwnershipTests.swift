import AccessPolicy
import Foundation
import Storage
import Submissions
import Testing

@testable import Consumer

/// The owner of a message, and the device of a participant.
@Suite struct OwnershipTests {
    @Test func aConsentOfTwoPatientsIsQuarantinedAndTouchesNeither() async throws {
        let fixture = try await ConsumerFixture()
        let (first, second) = (try await fixture.client(), try await fixture.client())
        try await fixture.send(ConsumerFixture.contract("a", id: "ca"), from: first)
        try await fixture.send(ConsumerFixture.contract("b", id: "cb"), from: second)
        let both = ConsumerFixture.withdrawal("b", contract: "ca")
            .replacingOccurrences(of: #""status":"#, with: #""subject":{"reference":"Patient/a"},"status":"#)
        let outcome = try await fixture.send(both, from: second)
        #expect(outcome?.status == .quarantined)
        // A Consent that may be a withdrawal suspends the sender's participant only.
        #expect(try await fixture.send(ConsumerFixture.response("a"), from: first)?.status == .stored)
        #expect(try await fixture.send(ConsumerFixture.response("b"), from: second)?.reasonCode == "consent-suspended")
        try await fixture.close()
    }

    /// A Patient of another server is another person; a reference with the study's own base URL is the study's
    /// participant.
    @Test func participantIsIdentifiedOnlyByTheirAddress() async throws {
        let fixture = try await ConsumerFixture(ownBases: ["https://study.example/fhir"])
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        func send(_ subject: String) async throws -> SubmissionOutcome? {
            let response = ConsumerFixture.response("p1").replacingOccurrences(of: "Patient/p1", with: subject)
            return try await fixture.send(response, from: client)
        }
        #expect(try await send("Patient/p1")?.status == .stored)
        #expect(try await send("https://study.example/fhir/Patient/p1")?.status == .stored)
        let far = try await send("https://elsewhere.example/fhir/Patient/p1")
        #expect(far?.status == .quarantined && far?.reasonCode == "subject-missing")
        #expect(
            try await fixture.count(
                "SELECT count(*) AS number FROM record WHERE type = 'QuestionnaireResponse' AND subject = 'p1'")
                == 2)
        try await fixture.close()
    }

    @Test func participantCannotOverwriteAnothersCoverage() async throws {
        let fixture = try await ConsumerFixture(strictness: .none)
        let (first, second) = (try await fixture.client(), try await fixture.client())
        let naming = ["clinical-records"]
        try await fixture.send(ConsumerFixture.contract("a", naming: naming), from: first)
        try await fixture.send(ConsumerFixture.contract("b", naming: naming), from: second)
        let mine = #"{"resourceType":"Coverage","id":"c1","status":"active","beneficiary":{"reference":"Patient/a"}}"#
        #expect(try await fixture.send(mine, from: first)?.status == .stored)
        let theirs = mine.replacingOccurrences(of: "Patient/a", with: "Patient/b")
        let outcome = try await fixture.send(theirs, from: second)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "subject-not-permitted")
        let ambiguous = mine.replacingOccurrences(
            of: #""beneficiary""#, with: #""subscriber":{"reference":"Patient/b"},"beneficiary""#)
        #expect(try await fixture.send(ambiguous, from: second)?.reasonCode == "subject-ambiguous")
        try await fixture.close()
    }

    @Test func strangersDeviceDoesNotTakeOverAParticipantWithPaperConsent() async throws {
        let fixture = try await ConsumerFixture()
        let stranger = try await fixture.client()
        try await fixture.consentOnPaper("p1")
        let outcome = try await fixture.send(ConsumerFixture.contract("p1"), from: stranger)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "participant-taken")
        // Its bytes are kept: it may be the participant's new phone.
        #expect(try await fixture.queue.status(now: Date()).quarantined == 1)
        #expect(try await fixture.count("SELECT count(*) AS number FROM device_binding") == 0)
        try await fixture.close()
    }

    @Test func theStudyTeamsCodeMovesAParticipantToANewPhoneOnce() async throws {
        let fixture = try await ConsumerFixture()
        let (old, new, third) = (
            try await fixture.client(), try await fixture.client(), try await fixture.client()
        )
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: old)
        let secret = try await fixture.access.issueMoveCode(
            participant: "p1", by: Actor(id: "account", role: .site), lifetime: 3600)
        let again = ConsumerFixture.contract("p1", id: "c2").replacingOccurrences(
            of: #""status":"executed""#,
            with: """
                "extension":[{"url":"urn:tributary:move-code","valueString":"\(secret).p1"}],"status":"executed"
                """)
        #expect(try await fixture.send(again, from: new)?.status == .stored)
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: new)?.status == .stored)
        // The old phone has no participant any more; its submissions are kept and not recorded.
        #expect(try await fixture.send(ConsumerFixture.response("p1", answer: 2), from: old)?.status != .stored)
        let replayed = try await fixture.send(again.replacingOccurrences(of: "c2", with: "c3"), from: third)
        #expect(replayed?.status == .quarantined && replayed?.reasonCode == "move-code-refused")
        try await fixture.close()
    }
}
