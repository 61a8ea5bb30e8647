import FHIR
import Testing

@testable import FHIRVersions

@Suite struct QuestionnaireResponseTests {
    /// One anonymous group for each step, as the iOS framework wrote it.
    static let steps = """
        {"resourceType":"QuestionnaireResponse","status":"completed","questionnaire":{"reference":"mood"},
         "subject":{"reference":"Patient/p-1"},
         "group":{"group":[
          {"question":[{"linkId":"sleep","answer":[{"valueQuantity":{"value":7.50,"units":"h"}}]}]},
          {"question":[{"linkId":"drugs","answer":[{"valueCoding":{"system":"http://x","code":"a"}}]},
                       {"linkId":"drugs","answer":[{"valueCoding":{"system":"http://x","code":"b"}}]}]},
          {"question":[{"linkId":"woke","answer":[{"valueInstant":"2016-01-01T06:00:00Z"}]},
                       {"linkId":"time","answer":[{"valueTime":"07:30"}]}]}]}}
        """

    @Test func anonymousGroupsDissolveAndEveryAnswerStays() throws {
        let result = try converted(QuestionnaireResponseTests.steps)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["questionnaire"]?.string == "Questionnaire/mood")
        #expect(json["item"]?.array?.compactMap { $0["linkId"]?.string } == ["sleep", "drugs", "woke", "time"])
        #expect(json.path("item.0.answer.0.valueQuantity.unit")?.string == "h")
        #expect(json.path("item.0.answer.0.valueQuantity.value")?.number?.text == "7.50")
        #expect(json.path("item.1.answer")?.array?.compactMap { $0.path("valueCoding.code")?.string } == ["a", "b"])
        #expect(json.path("item.2.answer.0.valueDateTime")?.string == "2016-01-01T06:00:00Z")
        #expect(json.path("item.3.answer.0.valueTime")?.string == "07:30:00")
    }

    @Test func theActivityResponseKeepsItsPeriod() throws {
        let result = try converted(
            """
            {"resourceType":"QuestionnaireResponse","status":"completed",
             "questionnaire":{"reference":"org.chip.c3-pro.activity"},
             "contained":[{"resourceType":"Encounter","id":"#period","status":"finished",
              "period":{"start":"2015-09-01T00:00:00-04:00","end":"2015-09-08T00:00:00-04:00"}}],
             "encounter":{"reference":"#period"},
             "group":{"linkId":"org.chip.c3-pro.activity","question":[
              {"linkId":"healthkit.HKQuantityTypeIdentifierStepCount","answer":[{"valueQuantity":{"value":5121,
               "unit":"count"}}]},
              {"linkId":"motion-coprocessor.walking","answer":[{"valueQuantity":{"value":312,"units":"minute"}}]}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["questionnaire"]?.string == "Questionnaire/org.chip.c3-pro.activity")
        #expect(json.path("contained.0.id")?.string == "period")
        #expect(json.path("contained.0.period.end")?.string == "2015-09-08T00:00:00-04:00")
        #expect(json.path("encounter.reference")?.string == "#period")
        #expect(json.path("item.0.linkId")?.string == "org.chip.c3-pro.activity")
        #expect(json.path("item.0.item.1.answer.0.valueQuantity.unit")?.string == "minute")
    }

    @Test func theOlderNameWithNestedAndMixedGroupsIsRead() throws {
        let result = try converted(
            """
            {"resourceType":"QuestionnaireAnswers","questionnaire":{"reference":"Questionnaire/q/_history/3",
              "display":"Main"},"authored":"2015-03-01T10:00","group":{"linkId":"root","title":"T","text":"Words",
              "question":[{"linkId":"1","text":"One?","answer":[{"valueBoolean":true,"group":[
                {"question":[{"linkId":"1.1","answer":[{"valueString":"why"}]}]}]}]}],
              "group":[{"linkId":"g","subject":{"reference":"Patient/p"},"group":[{"linkId":"h","question":[
                {"text":"Nameless?","answer":[{"valueInteger":3}]}]}]}]}}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["resourceType"]?.string == "QuestionnaireResponse")
        #expect(json["status"]?.string == "completed")
        #expect(json["authored"]?.string == "2015-03-01T10:00:00Z")
        #expect(json["questionnaire"]?.string == "Questionnaire/q")
        #expect(json.path("_questionnaire.extension.0.valueString")?.string == "Main")
        #expect(json.path("item.0.text")?.string == "Words")
        #expect(json.path("item.0.extension.0.valueString")?.string == "T")
        #expect(json.path("item.0.item.0.answer.0.item.0.linkId")?.string == "1.1")
        #expect(json.path("item.0.item.1.item.0.item.0.answer.0.valueInteger")?.integer == 3)
        #expect(json.path("item.0.item.1.extension.0.valueReference.reference")?.string == "Patient/p")
        #expect(result.notes.contains { $0.path == "QuestionnaireResponse.status" && $0.kind == .supplied })
    }

    @Test func stu3ContextAndReferenceBecomeR4() throws {
        let result = try converted(
            """
            {"resourceType":"QuestionnaireResponse","status":"completed","parent":[{"reference":"Observation/1"}],
             "questionnaire":{"reference":"http://x.example/Questionnaire/a"},"context":{"reference":"#period"},
             "item":[{"linkId":"1","subject":{"reference":"Patient/p"},"answer":[{"valueDecimal":1.0}]}]}
            """, .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["questionnaire"]?.string == "http://x.example/Questionnaire/a")
        #expect(json.path("encounter.reference")?.string == "#period")
        #expect(json.path("partOf.0.reference")?.string == "Observation/1")
        #expect(
            json.path("item.0.extension.0.url")?.string
                == "http://hl7.org/fhir/3.0/StructureDefinition/extension-QuestionnaireResponse.item.subject")
    }

    @Test func noValueOfTheSourceVanishes() throws {
        let source = try resource(QuestionnaireResponseTests.steps)
        let text = try converted(QuestionnaireResponseTests.steps).resource.json.text()
        for leaf in leaves(source.json) where leaf != "07:30" && leaf != "mood" {
            #expect(text.contains(leaf), "\(leaf)")
        }
    }

    private func leaves(_ json: JSON) -> [String] {
        switch json {
        case .string(let text): [text]
        case .number(let number): [number.text]
        case .array(let values): values.flatMap(leaves)
        case .object(let object): object.members.flatMap { leaves($0.value) }
        case .null, .bool: []
        }
    }
}
