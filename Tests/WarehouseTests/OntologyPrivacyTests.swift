import FHIR
import Foundation
import Storage
import Testing

@testable import Warehouse

/// Every researcher sees the ontology, so it must not contain any text of a device.
@Suite struct OntologyPrivacyTests {
    private let secret = "I-am-Jane-Doe"

    @Test func ontologyContainsNoTextOfADevice() async throws {
        let answers = """
            {"linkId":"\(secret)","text":"\(secret)","answer":[{"valueString":"\(secret)"},
             {"valueCoding":{"system":"http://\(secret)","code":"\(secret)","display":"\(secret)"}}]},
            {"linkId":"drugs","text":"\(secret)","answer":[
             {"valueCoding":{"system":"http://loinc.org","code":"\(secret)","display":"\(secret)"}},
             {"valueCoding":{"system":"http://loinc.org","code":"LA1-1","display":"\(secret)"}},
             {"valueCoding":{"code":"1484911","display":"\(secret)"}},{"valueString":"\(secret)"}]}
            """
        let systems = [
            #""system":"http://loinc.org","code":"99999-9""#, #""system":"http://loinc.org","code":"I-am-Jane-Doe""#,
            #""system":"urn:I-am-Jane-Doe","code":"1""#, #""code":"I-am-Jane-Doe""#,
            #""system":"http://developer.apple.com/documentation/healthkit","code":"I-am-Jane-Doe""#,
            #""system":"urn:tributary:health-component","code":"I-am-Jane-Doe""#,
        ]
        let values = [
            #""valueQuantity":{"value":1,"unit":"I-am-Jane-Doe"}"#, #""valueString":"I-am-Jane-Doe""#,
            #""valueCodeableConcept":{"text":"I-am-Jane-Doe"}"#,
        ]
        try await WarehouseFixture.with { fixture in
            try await fixture.load(response(answers, id: "r1", form: "http://\(secret)|\(secret)"))
            try await fixture.load(response(answers, id: "r2"), questionnaire: try form(sleepForm))
            for (number, system) in systems.enumerated() {
                let values =
                    values + [
                        #""valueCodeableConcept":{"coding":[{\#(system),"display":"I-am-Jane-Doe"}]}"#
                    ]
                for (index, value) in values.enumerated() {
                    try await fixture.load(
                        """
                        {"resourceType":"Observation","id":"o\(number)-\(index)","status":"final","code":{
                        "text":"\(secret)","coding":[{\(system),"display":"\(secret)"}]},\(value)}
                        """)
                }
            }
            try await fixture.load(
                #"{"resourceType":"Observation","id":"t","code":{"text":"\#(secret)"},"valueInteger":1}"#)
            let facts = try await fixture.rows("SELECT 1 FROM observation_fact WHERE modifier_cd = '@'").count
            #expect(facts > 30, "they are facts all the same")
            for table in ["custom_meta", "concept_dimension", "schemes", "table_access", "modifier_dimension"] {
                for row in try await LoaderFixture.rows(fixture.database)[table] ?? [] {
                    #expect(!row.lowercased().contains("jane"), "\(table): \(row)")
                }
            }
            // A code of a terminology is a concept, with the code as its name.
            let concepts = try await fixture.rows(
                "SELECT c_name, c_basecode FROM custom_meta WHERE c_fullname LIKE '%Other%' AND c_basecode IS NOT NULL")
            #expect(
                Set(try concepts.map { "\(try $0.text("c_name")) \(try $0.text("c_basecode"))" }) == [
                    "LOINC:99999-9 LOINC:99999-9", "LOINC:99999-9 LOINC:99999-9:99999-9",
                ])
        }
    }

    /// The form lists no codes, so an answer is found by the code of its terminology and by no text of the device.
    @Test(arguments: [#""answerValueSet":"http://example.org/set""#, ##""answerValueSet":"#s""##])
    func anOptionOfAValueSetThatTheFormDoesNotListIsFound(set: String) async throws {
        try await WarehouseFixture.with { fixture in
            let survey = try form(
                """
                {"resourceType":"Questionnaire","url":"http://example.org/sleep","contained":[{"resourceType":"ValueSet",
                 "id":"s","compose":{"include":[{"system":"http://snomed.info/sct"}]}}],"item":[
                 {"linkId":"a","type":"choice",\(set)}]}
                """)
            try await fixture.load(
                response(
                    """
                    {"linkId":"a","answer":[{"valueCoding":{"system":"http://snomed.info/sct","code":"373066001",
                     "display":"I said yes"}},{"valueCoding":{"system":"http://snomed.info/sct","code":"I said no"}}]}
                    """), questionnaire: survey)
            let folder = SurveyConcepts.folderPath("http://example.org/sleep") + "a\\"
            #expect(try await fixture.count(folder + "SNOMED-373066001\\") == 1)
            #expect(try await fixture.count(folder, "IS I said no") == 1)
            let names = try await fixture.rows("SELECT c_name FROM custom_meta").map { try $0.text("c_name") }
            #expect(names.contains("SNOMED:373066001"))
            #expect(!names.contains { $0.contains("I said") })
            try await OntologyTests.check(fixture)
        }
    }

    @Test(arguments: [
        ("http://loinc.org", "8867-4", true), ("http://loinc.org", "LA6568-5", true),
        ("http://loinc.org", "8867", false),
        ("http://loinc.org", "8867-4 John", false), ("http://loinc.org", "LAURA-5", false),
        ("http://snomed.info/sct", "373066001", true), ("http://snomed.info/sct", "Anna", false),
        ("http://snomed.info/sct", "٣٧٣٠٦٦", false), ("http://hl7.org/fhir/sid/icd-10-cm", "F32.0", true),
        ("http://hl7.org/fhir/sid/icd-10-cm", "C4A.70", true), ("http://hl7.org/fhir/sid/icd-10-cm", "S72.001A", true),
        ("http://hl7.org/fhir/sid/icd-10-cm", "JOHN", false), ("http://hl7.org/fhir/sid/icd-10", "F32", true),
        ("http://hl7.org/fhir/sid/icd-9-cm", "V85.1", true), ("http://hl7.org/fhir/sid/icd-9-cm", "EVE", false),
        ("http://hl7.org/fhir/sid/ndc", "0069-2587-10", true), ("http://hl7.org/fhir/sid/ndc", "00692587101", true),
        ("http://hl7.org/fhir/sid/cvx", "207", true), ("http://www.ama-assn.org/go/cpt", "99213", true),
        ("http://www.ama-assn.org/go/cpt", "0001F", true), ("http://www.whocc.no/atc", "N02BE01", true),
        ("http://www.whocc.no/atc", "N02BELLA", false), ("urn:iso:std:iso:11073:10101", "149520", true),
        ("http://www.nlm.nih.gov/research/umls/rxnorm", "1484911", true), ("http://unitsofmeasure.org", "kg", false),
        ("http://example.org", "123456", false), ("", "", false), ("http://loinc.org", "", false),
    ])
    func publishedCodeIsRecognisedByItsForm(system: String, code: String, isPublished: Bool) {
        #expect(PublishedCode.has(system: system, code: code) == isPublished, "\(code)")
    }
}
