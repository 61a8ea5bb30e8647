import AccessPolicy
import FHIR
import Foundation
import Identity
import Storage
import TestSupport
import Testing
import Warehouse

@testable import Admission
@testable import Consumer
@testable import FHIRHTTP
@testable import FHIRServer
@testable import RecordStorage

/// The server's admission of resources that are written through the FHIR API.
@Suite struct InteractionAdmissionTests {
    private static let rate =
        #"{"resourceType":"Observation","id":"o","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/p1"},"effectiveDateTime":"2026-03-01T10:00:00+02:00","valueQuantity":{"value":72,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}"#

    private func resource(_ text: String) throws -> Resource { try Resource(Data(text.utf8)) }

    private func fixture() async throws -> ConsumerFixture {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        return fixture
    }

    private func refusal(_ fixture: ConsumerFixture, of type: String = "Observation") async throws -> String? {
        let session = await fixture.processor.admission.begin(at: Date())
        return try await fixture.database.read { transaction in
            do { try session.permit(["p1"], type: type, id: "x", in: transaction) } catch let error
                as RecordAdmissionError
            {
                return error.kind == .refused ? error.code : "wrong kind"
            }
            return nil
        }
    }

    @Test func afterAWithdrawalNothingIsWritten() async throws {
        let fixture = try await fixture()
        #expect(try await refusal(fixture) == nil)
        let staff = StaffDecision(
            records: fixture.database, queue: fixture.queueStore, actor: Actor(id: "account", role: .site))
        _ = try await staff.withdraw("p1")
        #expect(try await refusal(fixture) == "consent-withdrawn")
        try await fixture.close()
    }

    @Test func whileSuspendedNothingIsWritten() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        _ = try await fixture.send(try #require(SuspensionTests.unclear["rejected"]), from: client)
        #expect(try await refusal(fixture) == "consent-suspended")
        try await fixture.close()
    }

    /// Contracts of a hospital need not be a participant's consent; those of a device are.
    @Test func unsignedContractIsAcceptedOverTheAPIAndNotFromADevice() async throws {
        let fixture = try await ConsumerFixture()
        let session = await fixture.processor.admission.begin(at: Date())
        let contract = #"{"resourceType":"Contract","status":"executed","subject":[{"reference":"Group/g"}]}"#
        let admitted = try session.admit(resource(contract), id: "c")
        #expect(admitted.prepared == nil)
        let own = contract.replacing("Group/g", with: "Patient/p1")
        #expect(try await fixture.send(own, from: fixture.client())?.reasonCode == "resource-invalid")
        try await fixture.close()
    }

    @Test(arguments: ["Contract", "Consent"])
    func consentResourcesAreRefused(type: String) async throws {
        let fixture = try await fixture()
        #expect(try await refusal(fixture, of: type) == "consent-not-written-here")
        try await fixture.close()
    }

    @Test func publishedResourceOfTheStudyCannotBeOverwritten() async throws {
        let study = PublishedStudy(templates: [], forms: [], records: ["Questionnaire/sleep"])
        let fixture = try await ConsumerFixture(published: { study })
        let session = await fixture.processor.admission.begin(at: Date())
        func refusal(_ id: String) async throws -> String? {
            do {
                try await fixture.database.write { try session.permit([], type: "Questionnaire", id: id, in: $0) }
                return nil
            } catch let error as RecordAdmissionError {
                return error.code
            }
        }
        #expect(try await refusal("sleep") == "published-by-study")
        #expect(try await refusal("other") == nil)
        try await fixture.close()
    }

    @Test func invalidShapesAndBrokenRulesAreDistinguished() async throws {
        let fixture = try await fixture()
        let session = await fixture.processor.admission.begin(at: Date())
        for (text, kind, code) in [
            (
                Self.rate.replacingOccurrences(of: #""status":"final""#, with: #""status":"final","nonsense":1"#),
                RecordAdmissionError.Kind.shape, "resource-invalid"
            ),
            (
                Self.rate.replacingOccurrences(
                    of: #""valueQuantity""#, with: #""dataAbsentReason":{"text":"x"},"valueQuantity""#), .rule,
                "resource-invalid"
            ),
            (#"{"resourceType":"Patient","id":"p1","name":[{"family":"Muster"}]}"#, .rule, "identifying-data"),
        ] {
            let error = #expect(throws: RecordAdmissionError.self) { try session.admit(try resource(text), id: "o") }
            #expect(error?.kind == kind && error?.code == code, "\(error?.message ?? "")")
            #expect(error?.message.contains("Muster") == false)
        }
        try await fixture.close()
    }

    /// Of Observations in one request that differ only in their values, one is fully processed.
    @Test func similarObservationsAreWrittenAsIfEachWereAlone() async throws {
        var random = Seeded.fresh()
        let texts = (0..<60).map { number in
            var text = Self.rate
                .replacingOccurrences(of: #""id":"o""#, with: #""id":"o\#(number)""#)
                .replacingOccurrences(of: "72", with: "\(Int.random(in: 40...180, using: &random))")
                .replacingOccurrences(
                    of: "10:00:00", with: "1\(number % 10):00:0\(Int.random(in: 0...9, using: &random))")
            if number % 7 == 3 { text = text.replacingOccurrences(of: "8867-4", with: "9279-1") }
            if number % 11 == 5 {
                text = text.replacingOccurrences(
                    of: "effectiveDateTime", with: "_comment"
                ).replacingOccurrences(
                    of: #""_comment":"#, with: #""effectivePeriod":{"start":"#
                )
                .replacingOccurrences(of: #","valueQuantity""#, with: #"},"valueQuantity""#)
            }
            return text
        }
        var found: [[[String]]] = []
        for together in [true, false] {
            let fixture = try await fixture()
            let service = RecordsService(
                database: fixture.database, access: AccessStores(audit: fixture.access.audit),
                admission: fixture.processor.admission,
                clock: { Date(timeIntervalSince1970: 1_790_000_000) })
            let grant = try AccessGrant(
                client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.cruds"))
            let requests = try texts.enumerated().map { number, text in
                WriteRequest(
                    type: "Observation", destination: .id("o\(number)"), change: .update(try resource(text)))
            }
            if together {
                // An error is reported for its entry, and nothing is written.
                var wrong = requests
                let text = texts[50].replacingOccurrences(of: #""value":"#, with: #""value":"x","was":"#)
                wrong[50] = WriteRequest(
                    type: "Observation", destination: .id("o50"), change: .update(try resource(text)))
                let failure = await #expect(throws: RecordsFailure.self) { try await service.write(wrong, by: grant) }
                #expect(failure?.message.contains("51") == true || failure?.message.contains("50") == true)
                #expect(try await fixture.facts == 0)
                let outcomes = try await service.write(requests, by: grant)
                #expect(outcomes.allSatisfy { $0.kind == .created })
            } else {
                for request in requests { _ = try await service.write(request, by: grant) }
            }
            found.append(
                try await fixture.database.read { transaction in
                    try [
                        """
                        SELECT r.id, r.subject, r.version, r.date_low, r.date_high, v.digest FROM record r
                        JOIN record_version v ON v.number = r.number WHERE r.type = 'Observation' ORDER BY r.id
                        """,
                        """
                        SELECT r.id, c.parameter, c.code, c.system, c.display FROM record_term t
                        JOIN record r ON r.number = t.number JOIN search_term c ON c.number = t.term
                        WHERE r.type = 'Observation' ORDER BY 1, 2, 3, 4, 5
                        """,
                        """
                        SELECT r.id, c.parameter, c.code, n.low, n.high, n.implicit_low, n.implicit_high
                        FROM record_number n JOIN record r ON r.number = n.number
                        JOIN search_term c ON c.number = n.term WHERE r.type = 'Observation' ORDER BY 1, 2, 3
                        """,
                        """
                        SELECT concept_cd, start_date, end_date, instance_num, valtype_cd, tval_char, nval_num, units_cd
                        FROM observation_fact ORDER BY 1, 2, 4
                        """,
                    ].map { sql in
                        try transaction.query(sql).map { "\($0)".components(separatedBy: "values: ").last ?? "" }
                    }
                })
            try await fixture.close()
        }
        #expect(found[0] == found[1])
        #expect(found[0][0].count == 60 && found[0][3].count == 60)
    }

    /// Writes and deletes as Records does.
    @Test func factsFollowCreatedChangedAndDeletedResources() async throws {
        let fixture = try await fixture()
        let before = try await fixture.facts
        let service = RecordsService(
            database: fixture.database, access: AccessStores(audit: fixture.access.audit),
            admission: fixture.processor.admission,
            clock: { Date() })
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.cruds conf/V sens/*"))
        func write(_ text: String?) async throws {
            let change: WriteRequest.Change = try text.map { .update(try resource($0)) } ?? .delete
            _ = try await service.write(
                WriteRequest(type: "Observation", destination: .id("o"), change: change), by: grant)
        }
        try await write(Self.rate)
        let one = try await fixture.facts
        #expect(one > before)
        try await write(Self.rate.replacingOccurrences(of: "72", with: "80"))
        #expect(try await fixture.facts == one)
        #expect(try await fixture.count("SELECT count(*) AS number FROM observation_fact WHERE nval_num = 80") == 1)
        try await write(nil)
        #expect(try await fixture.facts == before)
        #expect(
            try await fixture.count(
                "SELECT count(*) AS number FROM warehouse_loaded l JOIN record r ON r.number = l.number WHERE r.deleted = 1"
            ) == 0)
        // Data of a person without a consent is stored, and has no facts.
        try await write(Self.rate.replacingOccurrences(of: "Patient/p1", with: "Patient/p2"))
        #expect(try await fixture.facts == before)
        try await write(Self.rate)
        try await write(Self.rate.replacingOccurrences(of: "Patient/p1", with: "Patient/p2"))
        #expect(try await fixture.facts == before)
        try await fixture.close()
    }
}
