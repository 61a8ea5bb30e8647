import FHIR
import Foundation
import Testing

@testable import Warehouse

/// A sensor's measurement and a question of a form are two concepts, also if they have one code. The folder of the code
/// has both.
@Suite struct TerminologyCodeTests {
    private let rate = "\\Tributary\\Codes\\LOINC\\8867-4\\"
    private let survey = """
        {"resourceType":"Questionnaire","url":"http://example.org/pulse","item":[
         {"linkId":"pulse","type":"integer","text":"Your pulse?","code":[{"system":"http://loinc.org","code":"8867-4"}]},
         {"linkId":"mood","type":"choice","text":"Mood?","code":[{"system":"http://loinc.org","code":"99998-1"}],
          "answerOption":[{"valueCoding":{"system":"http://loinc.org","code":"LA1-1","display":"Good"}},
           {"valueCoding":{"system":"http://loinc.org","code":"LA2-9","display":"Bad"}}]},
         {"linkId":"set","type":"choice","code":[{"system":"http://loinc.org","code":"99997-3"}],
          "answerValueSet":"http://example.org/set"}]}
        """

    private func filled(_ fixture: WarehouseFixture) async throws {
        let loader = fixture.loader
        try await fixture.database.write { transaction in
            try loader.ensureHealthOntology(HealthConcept.all, at: instant("2026-01-01"), in: transaction)
        }
        try await fixture.ontology(try form(survey))
    }

    @Test func questionWithTheCodeOfATypeHasItsOwnConcept() throws {
        let concepts = SurveyConcepts(try form(survey))
        #expect(
            concepts.questions["pulse"]?.concept.code
                == SurveyConcepts.ownCode(formName: "http://example.org/pulse", linkID: "pulse"))
        #expect(concepts.questions["mood"]?.concept.code == "LOINC:99998-1")
    }

    @Test func theCodeFindsTheSensorAndTheAnswerAndEachIsFoundAlone() async throws {
        try await WarehouseFixture.with { fixture in
            try await filled(fixture)
            let questionnaire = try form(survey)
            try await fixture.load(observation(#""valueQuantity":{"value":60,"code":"/min"}"#), subject: "p1")
            try await fixture.load(
                response(#"{"linkId":"pulse","answer":[{"valueInteger":80}]}"#, form: "http://example.org/pulse"),
                questionnaire: questionnaire, subject: "p2", submission: "s2")
            #expect(try await fixture.count(rate) == 2)
            #expect(try await fixture.count(rate, "GE 70") == 1)
            #expect(try await fixture.count("\\Tributary\\Health\\Vital Signs\\HeartRate\\") == 1)
            #expect(try await fixture.count(SurveyConcepts.folderPath("http://example.org/pulse") + "pulse\\") == 1)
            let below = try await fixture.paths().filter { $0.hasPrefix(rate) && $0 != rate }
            #expect(below.contains(rate + "Health HeartRate\\"))
            #expect(below.count { $0.hasPrefix(rate + "Survey pulse-") } == 1)
            #expect(below.allSatisfy { ConceptPath.level($0) == 4 }, "the parts of workouts have the code too")
            try await OntologyTests.check(fixture)
        }
    }

    @Test func theChoicesOfAQuestionAreFoundByItsCodeToo() async throws {
        try await WarehouseFixture.with { fixture in
            try await filled(fixture)
            let questionnaire = try form(survey)
            try await fixture.load(
                response(
                    """
                    {"linkId":"mood","answer":[{"valueCoding":{"system":"http://loinc.org","code":"LA1-1"}}]},
                    {"linkId":"set","answer":[{"valueCoding":{"system":"http://loinc.org","code":"LA7-8"}}]}
                    """, form: "http://example.org/pulse"), questionnaire: questionnaire)
            let folder = SurveyConcepts.folderPath("http://example.org/pulse")
            for path in [folder + "mood\\", "\\Tributary\\Codes\\LOINC\\99998-1\\"] {
                #expect(try await fixture.count(path) == 1)
                #expect(try await fixture.count(path, "IS LA1-1") == 1, "the option's fact holds its code")
                #expect(try await fixture.count(path, "IS LA2-9") == 0)
            }
            #expect(try await fixture.count(folder + "set\\") == 1)
            #expect(try await fixture.count("\\Tributary\\Codes\\LOINC\\99997-3\\", "IS LA7-8") == 1)
            #expect(try await fixture.facts().count == 2)
            try await OntologyTests.check(fixture)
        }
    }

    @Test func aCodeOfNoTypeIsFoundByItsFolderToo() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":1"#, code: "99999-9"))
            #expect(try await fixture.count("\\Tributary\\Codes\\LOINC\\99999-9\\") == 1)
            let before = try await fixture.paths()
            try await fixture.load(observation(#""valueInteger":1"#, id: "o2", code: "99999-9"), submission: "s2")
            #expect(try await fixture.paths() == before)
            try await OntologyTests.check(fixture)
        }
    }

    /// A question in another unit is not comparable with the facts of the code.
    @Test func questionInAnotherUnitThanItsCodeHasItsOwnCode() throws {
        func code(_ unit: String) throws -> String? {
            SurveyConcepts(
                try form(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/f","item":[{"linkId":"1",
                     "type":"decimal","code":[{"system":"http://loinc.org","code":"99999-9"}],"extension":[
                     {"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-unit","valueCoding":{"code":"\(unit)"}}
                     ]}]}
                    """)
            ).questions["1"]?.concept.code
        }
        #expect(try code("g") == "LOINC:99999-9")
        #expect(try code("kg")?.hasPrefix("SURVEY:") == true)
        #expect(try code("apples")?.hasPrefix("SURVEY:") == true)
    }

    @Test func activitySummariesAreWithTheHealthData() async throws {
        try await WarehouseFixture.with { fixture in
            try await filled(fixture)
            let report = try await fixture.load(
                response(
                    """
                    {"linkId":"org.chip.c3-pro.activity","item":[
                     {"linkId":"motion-coprocessor.walking","answer":[{"valueQuantity":{"value":31,"unit":"minute"}}]},
                     {"linkId":"healthkit.HKQuantityTypeIdentifierStepCount","answer":[
                      {"valueQuantity":{"value":4000,"unit":"count"}}]}]}
                    """, form: "org.chip.c3-pro.activity"))
            #expect(report.facts == 2)
            let folder = "\\Tributary\\Health\\Activity summaries\\"
            #expect(try await fixture.count(folder + "motion-coprocessor.walking\\", "GE 31") == 1)
            #expect(try await fixture.count(folder + "healthkit.HKQuantityTypeIdentifierStepCount\\", "EQ 4000") == 1)
            #expect(try await fixture.count("\\Tributary\\Surveys\\") == 0)
            try await OntologyTests.check(fixture)
        }
    }
}
