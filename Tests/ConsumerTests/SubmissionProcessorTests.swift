import FHIR
import Foundation
import HealthData
import Testing
import Wire

@testable import Admission
@testable import Consumer
@testable import Storage
@testable import Submissions

@Suite struct SubmissionProcessorTests {
    @Test func dataBeforeItsContractIsHeldAndThenStored() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.status == .held)
        #expect(try await fixture.versions == 0)
        #expect(try await fixture.send(ConsumerFixture.contract("p1"), from: client)?.status == .stored)
        try await fixture.drain()
        #expect(try await fixture.versions == 2)
        #expect(try await fixture.facts == 1)
        try await fixture.close()
    }

    @Test func aC3PROResponseBeforeItsContractIsHeldAndThenStored() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        #expect(try await fixture.sendC3PRO(ConsumerFixture.dstu2Response, from: client)?.status == .held)
        #expect(
            try await fixture.sendC3PRO(ConsumerFixture.dstu2Contract, from: client, version: "dstu2-1.0.2")?.status
                == .stored)
        try await fixture.drain()
        let stored = try await fixture.count(
            "SELECT count(*) AS number FROM record_version WHERE original_fhir_version = '1.0.2' AND original IS NOT NULL"
        )
        #expect(stored == 2)
        #expect(try await fixture.facts == 2)
        try await fixture.close()
    }

    @Test func c3proContractCountsOnlyIfTheStudyAcceptsIt() async throws {
        let fixture = try await ConsumerFixture(c3pro: C3PROAcceptance(isAccepted: false))
        let client = try await fixture.client()
        let outcome = try await fixture.sendC3PRO(ConsumerFixture.dstu2Contract, from: client)
        #expect(outcome?.status == .quarantined)
        #expect(outcome?.reasonCode == "contract-unknown")
        try await fixture.close()
    }

    @Test func contractOfAnotherTemplateOrVersionIsQuarantinedAndReleasesNothing() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.response("p1"), from: client)
        #expect(
            try await fixture.send(ConsumerFixture.contract("p1", version: "2"), from: client)?.status == .quarantined)
        #expect(try await fixture.versions == 0)
        #expect(try await fixture.queue.status(now: Date()).held == 1)
        try await fixture.close()
    }

    @Test func dataIsRefusedAfterAWithdrawalUntilANewContract() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.status == .stored)
        #expect(
            try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)?.status == .stored)
        let refused = try await fixture.send(ConsumerFixture.response("p1", answer: 2), from: client)
        #expect(refused?.status == .refused)
        #expect(refused?.reasonCode == "consent-withdrawn")
        #expect(try await fixture.count("SELECT count(*) AS number FROM consent_contract WHERE status_cd = 'I'") == 1)
        let again = ConsumerFixture.contract("p1", id: "c2").replacingOccurrences(of: "2026-01-01", with: "2026-03-01")
        #expect(try await fixture.send(again, from: client)?.status == .stored)
        #expect(try await fixture.send(ConsumerFixture.response("p1", answer: 3), from: client)?.status == .stored)
        try await fixture.close()
    }

    /// The device checks the consent too; the server does not depend on it.
    @Test(arguments: [
        ("routes", ["HKWorkoutRoute"]), ("heartbeats", ["HKHeartbeatSeriesSample"]),
        ("notes", ["HKClinicalTypeIdentifierClinicalNoteRecord"]),
        (
            "clinical-records",
            [
                "HKClinicalTypeIdentifierConditionRecord", "HKClinicalTypeIdentifierLabResultRecord",
                "HKClinicalTypeIdentifierMedicationRecord",
            ]
        ),
    ])
    func namedHealthDataIsAcceptedOnlyIfTheContractIncludesIt(name: String, types: [String]) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        let resources = try types.map { type in
            try #require(HealthTypeTable.standard.named(type)?.example(subject: "p1"), "\(type)").text()
        }
        let others = ["routes", "heartbeats", "notes", "clinical-records"].filter { $0 != name }
            .filter { ($0, name) != ("clinical-records", "notes") }
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1", naming: others), from: client)
        let before = (try await fixture.versions, try await fixture.facts)
        for resource in resources {
            let outcome = try await fixture.send(resource, from: client)
            #expect(outcome?.status == .refused)
            #expect(outcome?.reasonCode == "inclusion-not-in-consent")
        }
        #expect(try await fixture.versions == before.0)
        #expect(try await fixture.facts == before.1)
        // The person signs again, with the name.
        let again = ConsumerFixture.contract("p1", id: "c2", naming: [name])
            .replacingOccurrences(of: "2026-01-01", with: "2026-03-01")
        #expect(try await fixture.send(again, from: client)?.status == .stored)
        for resource in resources {
            #expect(try await fixture.send(resource, from: client)?.status == .stored)
        }
        try await fixture.close()
    }

    @Test func deviceCannotWriteOrWithdrawForAnotherParticipant() async throws {
        let fixture = try await ConsumerFixture()
        let (first, second) = (try await fixture.client(), try await fixture.client())
        try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: first)
        let before = try await fixture.versions
        let taken = try await fixture.send(ConsumerFixture.contract("p1"), from: second)
        #expect(taken?.status == .quarantined && taken?.reasonCode == "already-bound")
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: second)?.status == .held)
        // After the device has a participant of its own, its submissions for the other one are recognised.
        try await fixture.send(ConsumerFixture.contract("p2"), from: second)
        let foreign = try await fixture.send(ConsumerFixture.response("p1"), from: second)
        #expect(foreign?.status == .quarantined && foreign?.reasonCode == "subject-not-permitted")
        let withdrawal = try await fixture.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: second)
        #expect(withdrawal?.status == .quarantined && withdrawal?.reasonCode == "subject-not-permitted")
        #expect(try await fixture.queue.status(now: Date()).quarantined == 4)
        #expect(try await fixture.versions == before + 1)
        #expect(
            try await fixture.count("SELECT count(*) AS number FROM participant_suspension WHERE participant = 'p1'")
                == 0)
        // The first participant is not affected.
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: first)?.status == .stored)
        try await fixture.close()
    }

    @Test func aResourceOfAnotherParticipantIsNotOverwritten() async throws {
        let fixture = try await ConsumerFixture()
        let (first, second) = (try await fixture.client(), try await fixture.client())
        try await fixture.send(ConsumerFixture.contract("p1"), from: first)
        try await fixture.send(ConsumerFixture.contract("p2"), from: second)
        let mine =
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p1"},"valueInteger":1}"#
        #expect(try await fixture.send(mine, from: first)?.status == .stored)
        let theirs = mine.replacingOccurrences(of: "p1", with: "p2")
        #expect(try await fixture.send(theirs, from: second)?.reasonCode == "subject-not-permitted")
        try await fixture.close()
    }

    @Test func submissionOfSeveralParticipantsIsRefused() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let outcome = try await fixture.send(
            ConsumerFixture.response("p1"), ConsumerFixture.response("p2"), from: client)
        #expect(outcome?.reasonCode == "subject-mismatch")
        #expect(try await fixture.facts == 0)
        try await fixture.close()
    }

    @Test(arguments: [
        ("{", "json-unexpected-end"), (#"{"a":1}"#, "resource-type-missing"),
        ("{\"resourceType\":\"Patient\",}", "json-trailing-comma"),
        (#"{"resourceType":"Practitioner","id":"x"}"#, "resource-type-not-accepted"),
        (#"{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/p1"}}"#, "resource-invalid"),
        (
            #"{"resourceType":"Observation","status":"bogus","code":{"text":"x"},"subject":{"reference":"Patient/p1"}}"#,
            "resource-invalid"
        ),
        (#"{"resourceType":"Observation","status":"final","code":{"text":"x"}}"#, "subject-missing"),
        (
            #"{"resourceType":"QuestionnaireResponse","status":"completed","subject":{"reference":"Patient/p1"},"authored":"now"}"#,
            "resource-invalid"
        ),
        (#"{"resourceType":"Contract","signer":[{"party":{"reference":"Patient/p1"}}]}"#, "resource-invalid"),
    ])
    func failedSubmissionIsQuarantinedWithItsReasonAndTheNextIsStored(payload: String, code: String) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let outcome = try await fixture.send(payload, from: client)
        #expect(outcome?.status == .quarantined)
        #expect(outcome?.reasonCode == code)
        #expect(outcome?.detail?.contains("p1") == false)
        #expect(try await fixture.send(ConsumerFixture.response("p1"), from: client)?.status == .stored)
        try await fixture.close()
    }

    @Test func unsignedContractIsQuarantinedEvenWithoutValidation() async throws {
        let fixture = try await ConsumerFixture(strictness: .none)
        let client = try await fixture.client()
        let outcome = try await fixture.send(
            #"{"resourceType":"Contract","signer":[{"party":{"reference":"Patient/p1"}}]}"#, from: client)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "consent-not-signed")
        try await fixture.close()
    }

    @Test func anUnknownFHIRVersionAndAnUnreadableEnvelopeAreQuarantined() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let version = try await fixture.send(ConsumerFixture.response("p1"), from: client, fhirVersion: "9.9.9")
        #expect(version?.reasonCode == "fhir-version-unsupported")
        let foreign = try SealedEnvelope.seal(
            Data("{}".utf8), as: SubmissionHeader(submissionID: UUID().uuidString, sequence: 1),
            to: [try PrivateKey.generateP256().publicKey])
        let unknown = try await fixture.enqueue(
            foreign.bytes, client: client, submissionID: foreign.header.submissionID)
        #expect(unknown?.status == .held && unknown?.reasonCode == "key-unknown")
        // The envelope names the study's key, which does not open it: other keys are not tried.
        let ours = try SealedEnvelope.seal(
            Data("{}".utf8), as: SubmissionHeader(submissionID: UUID().uuidString, sequence: 1),
            to: [fixture.keys[0].publicKey])
        var text = String(decoding: ours.bytes, as: UTF8.self)
        let tag = try #require(text.range(of: #""tag":""#)).upperBound
        text.replaceSubrange(tag...tag, with: text[tag] == "A" ? "B" : "A")
        let unreadable = try await fixture.enqueue(
            Data(text.utf8), client: client, submissionID: ours.header.submissionID)
        #expect(unreadable?.status == .quarantined && unreadable?.reasonCode == "envelope-unreadable")
        try await fixture.close()
    }

    @Test func batchIsAtomic() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let before = try await fixture.versions
        let outcome = try await fixture.send(ConsumerFixture.response("p1"), "{}", from: client)
        #expect(outcome?.status == .quarantined)
        #expect(outcome?.detail?.contains("line 2") == true)
        #expect(try await fixture.versions == before)
        try await fixture.close()
    }

    @Test func handlingASubmissionTwiceLeavesTheSameRows() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let submissionID = UUID().uuidString.lowercased()
        try await fixture.send(ConsumerFixture.response("p1"), from: client, submissionID: submissionID)
        let (versions, facts) = (try await fixture.versions, try await fixture.facts)
        // As after a kill between the commit and the end of the lease: the same leased submission is processed again.
        let header = try SubmissionHeader(submissionID: submissionID, sequence: 1)
        let sealed = try SealedEnvelope.seal(
            Data(ConsumerFixture.response("p1").utf8), as: header, to: [fixture.keys[0].publicKey])
        let row = try #require(try await fixture.queue.show(submissionID: submissionID).first)
        let again = QueuedSubmission(
            number: row.number, clientID: client, enrolmentID: client, submissionID: submissionID, digest: "d",
            format: .jwe,
            sequence: 1, body: sealed.bytes, receivedAt: row.receivedAt, attempts: 1)
        _ = try await fixture.processor.process(again)
        #expect(try await fixture.versions == versions)
        #expect(try await fixture.facts == facts)
        try await fixture.close()
    }
}

@Suite struct ValidationStrictnessTests {
    private static let foreignElement =
        #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"Jane Roe":1,"subject":{"reference":"Patient/p1"}}"#
    private static let brokenConstraint =
        #"{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueInteger":1,"dataAbsentReason":{"text":"x"},"subject":{"reference":"Patient/p1"}}"#

    private func status(_ resource: String, _ strictness: ValidationStrictness) async throws -> SubmissionOutcome? {
        let fixture = try await ConsumerFixture(strictness: strictness)
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let outcome = try await fixture.send(resource, from: client)
        try await fixture.close()
        return outcome
    }

    @Test(arguments: [
        (ValidationStrictness.none, SubmissionStatus.stored, SubmissionStatus.stored),
        (.structure, .quarantined, .stored), (.errors, .quarantined, .quarantined),
        (.warnings, .quarantined, .quarantined),
    ])
    func validationStrictnessDecidesTheQuarantine(
        strictness: ValidationStrictness, structure: SubmissionStatus, constraint: SubmissionStatus
    ) async throws {
        #expect(try await status(Self.foreignElement, strictness)?.status == structure)
        #expect(try await status(Self.brokenConstraint, strictness)?.status == constraint)
    }

    @Test func reasonNamesTheElementAndNoValuesOfTheSender() async throws {
        let outcome = try #require(try await status(Self.foreignElement, .errors))
        #expect(outcome.reasonCode == "resource-invalid")
        #expect(outcome.detail?.contains("Observation") == true)
        #expect(outcome.detail?.contains("Jane") == false)
    }
}
