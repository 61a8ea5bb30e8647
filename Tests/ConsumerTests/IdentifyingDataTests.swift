import FHIR
import Foundation
import InformedConsent
import Storage
import StorageTestSupport
import Submissions
import Testing
import Warehouse

@testable import Consumer
@testable import RecordStorage

@Suite struct IdentifyingSubmissionTests {
    private static let patient =
        #"{"resourceType":"Patient","id":"p1","name":[{"family":"Muster"}],"birthDate":"1990-02-03"}"#
    private static let form = """
        {"resourceType":"Questionnaire","url":"https://example.org/f","version":"1","status":"active","item":[\
        {"linkId":"photo","type":"attachment"},{"linkId":"report","type":"attachment","extension":[\
        {"url":"urn:tributary:attachment-as-is","valueBoolean":true}]}]}
        """

    private func response(_ linkID: String, _ attachment: String) -> String {
        """
        {"resourceType":"QuestionnaireResponse","status":"completed","questionnaire":"https://example.org/f|1","subject":{\
        "reference":"Patient/p1"},"authored":"2026-01-02T08:00:00+02:00","item":[{"linkId":"\(linkID)","answer":[\
        {"valueAttachment":\(attachment)}]}]}
        """
    }

    /// Sends a payload after a contract; returns its outcome and the stored records.
    private func sent(
        _ payload: String, _ handling: IdentifyingDataHandling, contract: String = ConsumerFixture.contract("p1")
    ) async throws -> (outcome: SubmissionOutcome?, records: [String], originals: Int64) {
        let forms = [Questionnaire(try #require(try JSON(parsing: Self.form).object))]
        let fixture = try await ConsumerFixture(identifyingData: handling, forms: forms)
        let client = try await fixture.client()
        _ = try await fixture.send(contract, from: client)
        let outcome = try await fixture.send(payload, from: client)
        let records = try await fixture.database.read { transaction in
            try transaction.query("SELECT content FROM record_history WHERE type <> 'Contract'")
                .map { try ContentCodec.content(try $0.blob("content"), in: transaction) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let originals = try await fixture.count(
            "SELECT count(*) AS number FROM record_version WHERE original IS NOT NULL")
        try await fixture.close()
        return (outcome, records, originals)
    }

    @Test func aPatientWithANameIsQuarantinedByItsElements() async throws {
        let (outcome, records, _) = try await sent(Self.patient, .quarantine)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "identifying-data")
        let detail = try #require(outcome?.detail)
        #expect(detail.contains("Patient.name, Patient.birthDate"))
        #expect(!detail.contains("Muster") && !detail.contains("1990"))
        #expect(records.isEmpty)
    }

    @Test func identifyingDataIsReducedIfTheStudyConfiguresIt() async throws {
        let (outcome, records, _) = try await sent(Self.patient, .reduce)
        #expect(outcome?.status == .stored)
        let record = try #require(records.first)
        #expect(!record.contains("Muster") && !record.contains("1990-02") && record.contains("REDACTED"))
    }

    @Test func identifyingDataIsAcceptedInStudiesWithIdentifiedRecords() async throws {
        let (outcome, records, _) = try await sent(Self.patient, .accept)
        #expect(outcome?.status == .stored && records == [Self.patient])
    }

    @Test func attachmentsAreCheckedAgainstTheirForm() async throws {
        let pdf = #"{"contentType":"application/pdf","data":"JVBERi0xLjc="}"#
        #expect(try await sent(response("photo", pdf), .quarantine).outcome?.reasonCode == "identifying-data")
        #expect(try await sent(response("photo", pdf), .reduce).outcome?.reasonCode == "identifying-data")
        #expect(try await sent(response("report", pdf), .quarantine).outcome?.status == .stored)
        let named = #"{"contentType":"application/pdf","title":"Muster.pdf","data":"JVBERi0xLjc="}"#
        #expect(try await sent(response("report", named), .quarantine).outcome?.reasonCode == "identifying-data")
        let (outcome, records, _) = try await sent(response("report", named), .reduce)
        #expect(outcome?.status == .stored && records.first?.contains("Muster") == false)
    }

    @Test func withdrawalWithAPersonsNameIsAccepted() async throws {
        let contract = ConsumerFixture.contract("p1", id: "c1")
        let withdrawal = ConsumerFixture.withdrawal("p1", contract: "c1")
            .replacingOccurrences(of: #""Patient/p1""#, with: #""Patient/p1","display":"Anna Muster""#)
        let (outcome, records, _) = try await sent(withdrawal, .quarantine, contract: contract)
        #expect(outcome?.status == .stored)
        #expect(records.first?.contains("Muster") == false)
    }

    @Test func originalOfAReducedOlderVersionIsNotKept() async throws {
        let fixture = try await ConsumerFixture(identifyingData: .reduce)
        let client = try await fixture.client()
        let contract = ConsumerFixture.dstu2Contract
            .replacingOccurrences(of: #""Patient/p1""#, with: #""Patient/p1","display":"Anna Muster""#)
        #expect(try await fixture.sendC3PRO(contract, from: client)?.status == .stored, "it counts all the same")
        #expect(
            try await fixture.count("SELECT count(*) AS number FROM record_version WHERE original IS NOT NULL") == 0)
        let contents = try await fixture.database.read { transaction in
            try transaction.query("SELECT content FROM record_version")
                .map { try ContentCodec.content(try $0.blob("content"), in: transaction) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(!contents.isEmpty && !contents.contains { $0.contains("Muster") })
        let strict = try await ConsumerFixture()
        let other = try await strict.client()
        #expect(try await strict.sendC3PRO(contract, from: other)?.reasonCode == "identifying-data")
        try await fixture.close()
        try await strict.close()
    }
}
