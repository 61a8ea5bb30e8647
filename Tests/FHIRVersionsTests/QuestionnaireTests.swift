import FHIR
import Testing

@testable import FHIRVersions

/// Rules of R4 for forms that the older releases do not have.
@Suite struct QuestionnaireTests {
    static let conditions = """
        {"resourceType":"Questionnaire","status":"active","item":[
         {"linkId":"1","type":"boolean"},{"linkId":"2","type":"attachment"},
         {"linkId":"3","type":"string","enableWhen":[{"question":"1","hasAnswer":false}]},
         {"linkId":"4","type":"string","enableWhen":[{"question":"1","hasAnswer":true,"answerBoolean":true}]},
         {"linkId":"5","type":"string","enableWhen":[{"question":"1","answerUri":"http://x.example"},
          {"question":"2","answerAttachment":{"title":"scan"}}]},
         {"linkId":"6","type":"string","enableWhen":[{"question":"1"}]}]}
        """

    private func condition(_ item: Int, _ index: Int = 0) throws -> JSON? {
        try converted(QuestionnaireTests.conditions, .stu3).resource.json.path("item.\(item).enableWhen.\(index)")
    }

    @Test func hasAnswerBecomesTheOperatorExists() throws {
        #expect(try condition(2) == ["question": "1", "operator": "exists", "answerBoolean": false])
    }

    @Test func anAnswerIsComparedForEquality() throws {
        #expect(try condition(3) == ["question": "1", "operator": "=", "answerBoolean": true])
        #expect(try condition(4) == ["question": "1", "operator": "=", "answerString": "http://x.example"])
    }

    @Test func anAnswerThatR4CannotCompareStaysInAnExtension() throws {
        let condition = try #require(try condition(4, 1))
        #expect(condition["operator"]?.string == "exists")
        #expect(condition.path("extension.0.valueAttachment.title")?.string == "scan")
    }

    @Test func severalConditionsMeanAnyOfThem() throws {
        let result = try converted(QuestionnaireTests.conditions, .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(try resource(QuestionnaireTests.conditions), in: result) == [])
        let items = try #require(result.resource.json["item"]?.array)
        #expect(items.map { $0["enableBehavior"]?.string } == [nil, nil, nil, nil, "any", nil])
        #expect(result.notes.contains { $0.kind == .supplied && $0.location == "Questionnaire.item[4].enableBehavior" })
        #expect(try condition(5) == ["question": "1", "operator": "exists", "answerBoolean": true])
    }

    @Test func initialValueOfAnItemWithOptionsBecomesTheSelectedOption() throws {
        let source = try resource(
            """
            {"resourceType":"Questionnaire","status":"active","item":[
             {"linkId":"1","type":"choice","option":[{"valueInteger":1},{"valueInteger":2}],"initialInteger":2},
             {"linkId":"2","type":"choice","option":[{"valueInteger":1}],"initialInteger":9},
             {"linkId":"3","type":"decimal","initialDecimal":1.50}]}
            """)
        let result = try FHIRConversion.toR4(source, from: .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let json = result.resource.json
        #expect(json.path("item.0.answerOption.1.initialSelected")?.bool == true)
        #expect(json.path("item.0")?["initial"] == nil)
        #expect(json.path("item.1.extension.0.valueInteger")?.integer == 9)
        #expect(json.path("item.1")?["initial"] == nil)
        #expect(json.path("item.2.initial.0.valueDecimal")?.number?.text == "1.50")
    }

    @Test func aGroupWithoutItemsOnlyShowsItsText() throws {
        let source = try resource(
            """
            {"resourceType":"Questionnaire","status":"published","group":{"linkId":"r","title":"T","text":"Body",
             "group":[{"linkId":"g","text":"Read this","required":true,"concept":[{"code":"c"}]},
              {"linkId":"h","question":[{"linkId":"q","type":"boolean","option":[{"code":"z"}]}]}]}}
            """)
        let result = try FHIRConversion.toR4(source, from: .dstu2)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let group = try #require(result.resource.json.path("item.0.item.0"))
        #expect(group["type"]?.string == "display")
        #expect(group["required"] == nil && group["code"] == nil)
        // A yes or no question has no options either.
        let question = try #require(result.resource.json.path("item.0.item.1.item.0"))
        #expect(question["answerOption"] == nil)
        #expect(question.path("extension.0.valueCoding.code")?.string == "z")
    }

    @Test func generatedLinkIdsAreUnique() throws {
        let json = try converted(
            """
            {"resourceType":"Questionnaire","status":"draft","group":{"linkId":"r","question":[
             {"linkId":"unnamed-1"},{"text":"Who?"},{"text":"Where?"}]}}
            """
        ).resource.json
        let ids = json.path("item.0.item")?.array?.compactMap { $0["linkId"]?.string }
        #expect(ids == ["unnamed-1", "unnamed-2", "unnamed-3"])
    }

    @Test func elementsThatAnItemMayNotHaveStayWithTheirExtensions() throws {
        let source = try resource(
            """
            {"resourceType":"Questionnaire","status":"active","item":[
             {"linkId":"1","type":"display","required":true,"_required":{"extension":[
              {"url":"http://x.example/why","valueString":"because"}]}},
             {"linkId":"2","type":"boolean","option":[{"id":"o","valueInteger":1,"extension":[
              {"url":"http://x.example/score","valueDecimal":2.0}]},{"valueInteger":3}]},
             {"linkId":"3","type":"choice","option":[{"valueString":"a"}],"initialString":"a",
              "_initialString":{"id":"i"}}]}
            """)
        let result = try FHIRConversion.toR4(source, from: .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(VanishedValues.of(source, in: result) == [])
        let json = result.resource.json
        #expect(json.path("item.0.extension.0._valueBoolean.extension.0.valueString")?.string == "because")
        #expect(json.path("item.1.extension.0.extension.1.valueInteger")?.integer == 1)
        #expect(json.path("item.1.extension.1.valueInteger")?.integer == 3)
        #expect(json.path("item.2")?["initial"] == nil)
    }
}
