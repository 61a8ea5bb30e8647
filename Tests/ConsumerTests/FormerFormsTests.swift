import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Testing

@testable import Admission
@testable import Consumer

/// Answers to former versions of a form, and answers without the form's groups, over each interface.
@Suite struct FormerFormsTests {
    private static let url = "https://example.org/pain"

    private static func form(_ version: String?, maximum: Int, id: String = "pain") throws -> Questionnaire {
        let version = version.map { #""version":"\#($0)","# } ?? ""
        return Questionnaire(
            try #require(
                try JSON(
                    parsing: """
                        {"resourceType":"Questionnaire","id":"\(id)","url":"\(url)",\(version)"status":"active","item":[
                         {"linkId":"g","type":"group","text":"Group","item":[{"linkId":"pain","type":"integer","extension":[
                         {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":\(maximum)}]}]}]}
                        """
                ).object))
    }

    private static func response(_ name: String, _ value: Int, isFlat: Bool = false) -> String {
        let item = #"{"linkId":"pain","answer":[{"valueInteger":\#(value)}]}"#
        return """
            {"resourceType":"QuestionnaireResponse","id":"r","status":"completed","questionnaire":"\(name)",\
            "subject":{"reference":"Patient/p1"},"authored":"2026-01-02T08:00:00+02:00",\
            "item":[\(isFlat ? item : #"{"linkId":"g","item":[\#(item)]}"#)]}
            """
    }

    private static let names = [
        ("\(url)|2", 5), ("\(url)|1", 50), (url, 50), ("Questionnaire/pain|1", 50), ("\(url)|2", 7),
    ]

    /// Version 1 was published first, then version 2, which was changed once without a new version number.
    private func fixture() async throws -> ConsumerFixture {
        let study = PublishedStudy(
            templates: try ConsumerFixture.contractTemplates.map { try ConsentTemplate(Resource(Data($0.utf8))) },
            forms: [try Self.form("2", maximum: 6)],
            former: FormerForms([
                try Self.form("1", maximum: 100), try Self.form("2", maximum: 8), try Self.form("2", maximum: 6),
            ]))
        let fixture = try await ConsumerFixture(published: { study })
        return fixture
    }

    @Test(arguments: names) func answersOfDevicesAreCheckedByFormVersion(name: String, value: Int) async throws {
        let fixture = try await fixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        for isFlat in [false, true] {
            let outcome = try await fixture.send(Self.response(name, value, isFlat: isFlat), from: client)
            #expect(outcome?.status == .stored, "\(outcome?.reasonCode ?? "") \(outcome?.detail ?? "")")
        }
        try await fixture.close()
    }

    @Test(arguments: names) func answersOfProgramsAreCheckedByFormVersion(name: String, value: Int) async throws {
        let fixture = try await fixture()
        let session = await fixture.processor.admission.begin(at: Date())
        for isFlat in [false, true] {
            let resource = try Resource(Data(Self.response(name, value, isFlat: isFlat).utf8))
            #expect(try session.admit(resource, id: "r").resource == resource)
        }
        try await fixture.close()
    }

    @Test(arguments: [
        ("\(url)|1", 101, "answers-invalid"), ("\(url)|2", 9, "answers-invalid"), ("\(url)|3", 1, "form-unknown"),
        ("\(url)/other", 1, "form-unknown"), (url, 101, "answers-invalid"),
    ])
    func answersThatNoVersionAllowsAreQuarantined(name: String, value: Int, code: String) async throws {
        let fixture = try await fixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let before = try await fixture.versions
        let outcome = try await fixture.send(Self.response(name, value), from: client)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == code)
        #expect(try await fixture.versions == before)
        if code == "answers-invalid" {
            let session = await fixture.processor.admission.begin(at: Date())
            let resource = try Resource(Data(Self.response(name, value).utf8))
            let error = #expect(throws: RecordAdmissionError.self) { try session.admit(resource, id: "r") }
            #expect(error?.code == code)
        }
        try await fixture.close()
    }

    /// The record contains the form's groups, and the original bytes of the device are kept.
    @Test func aResponseWithoutGroupsIsStoredInThemWithItsOriginal() async throws {
        let fixture = try await fixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let sent = Self.response("\(Self.url)|2", 5, isFlat: true)
        #expect(try await fixture.send(sent, from: client)?.status == .stored)
        let held = try await fixture.database.read {
            try RecordStore().versions(
                about: "p1", ofType: "QuestionnaireResponse", after: nil, limit: 10, in: $0)
        }
        #expect(held.count == 1)
        let stored = try Resource(try #require(held.first).record.content)
        #expect(stored.object["item"]?[0]?["linkId"] == "g" && stored.object["item"]?[0]?["text"] == "Group")
        #expect(stored.object["item"]?[0]?["item"]?[0]?["answer"]?[0]?["valueInteger"] == 5)
        #expect(held.first?.original == OriginalContent(bytes: Data(sent.utf8), fhirVersion: "4.0.1"))
        // A response that already has its groups is stored unchanged.
        let whole = Self.response("\(Self.url)|2", 5).replacingOccurrences(of: #""id":"r""#, with: #""id":"whole""#)
        #expect(try await fixture.send(whole, from: client)?.status == .stored)
        let later = try await fixture.database.read {
            try RecordStore().versions(
                about: "p1", ofType: "QuestionnaireResponse", after: nil, limit: 10, in: $0)
        }.last
        #expect(later?.original == nil && later?.record.content == Data(whole.utf8))
        try await fixture.close()
    }

    /// The records have the published forms, with any id, and not those that a program wrote.
    @Test func theVersionsAreReadFromTheRecords() async throws {
        let fixture = try await ConsumerFixture()
        let publishing = RecordPublishing(database: fixture.database, clock: { Date() })
        for form in [
            try Self.form("1", maximum: 100), try Self.form("2", maximum: 6), try Self.form("0", maximum: 1, id: "old"),
        ] {
            try await publishing.publish([form.resource])
        }
        let foreign = try Self.form("9", maximum: 9, id: "foreign")
        try await fixture.database.write { transaction in
            _ = try RecordStore().put(
                foreign.resource, content: foreign.json.data(), original: nil, id: "foreign",
                provenance: RecordProvenance(submissionID: "fhir:x", clientID: "c", keyID: nil, receivedAt: Date()),
                at: Date(), in: transaction)
        }
        let study = PublishedStudy(
            templates: [], forms: [try Self.form("2", maximum: 6)],
            former: try await FormerForms.read(from: fixture.database))
        func versions(_ name: String) -> [String?] { study.candidates(name).map(\.rules.questionnaire.version) }
        #expect(versions("\(Self.url)|1") == ["1"])
        #expect(versions("\(Self.url)|0") == ["0"])
        #expect(versions("\(Self.url)|9") == [])
        #expect(versions("Questionnaire/old") == ["0"])
        #expect(versions("\(Self.url)").prefix(1) == ["2"] && Set(versions(Self.url)) == ["0", "1", "2"])
        try await fixture.close()
    }
}
