import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

@testable import ResearchKitForms

/// The steps and rows of tasks: each row of the table of item types that ResearchKitOnFHIR has, at the top and in groups.
@Suite struct SurveyStepTests {
    @Test func aGroupIsAFormStepWithItsQuestions() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "text": "About you", "item": [
              {"linkId": "a", "type": "string", "text": "A"}, {"linkId": "b", "type": "boolean", "text": "B"}]}
            """)
        let step = try #require(task.steps.first)
        #expect(step.kind == .form && step.identifier == "g" && step.title == "Form" && step.text == "About you")
        #expect(step.formItems.map(\.identifier) == ["a", "b"] && task.steps.count == 1)
    }

    /// The original shows a group in a group as a text field, without its questions.
    @Test func aGroupInAGroupIsASectionWithItsQuestions() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "in", "type": "group", "text": "Inner", "item": [
                {"linkId": "a", "type": "string"},
                {"linkId": "deep", "type": "group", "text": "Deep", "item": [{"linkId": "b", "type": "string"}]}]}]}
            """)
        #expect(task.steps[0].formItems.map(\.identifier) == ["in", "a", "deep", "b"])
        #expect(task.steps[0].formItems.map { $0.format == nil } == [true, false, true, false])
        #expect(task.steps[0].formItems[0].text == "Inner")
    }

    @Test func aDisplayItemIsAnInstructionOrASectionOfItsGroup() throws {
        let task = try Tasks.task(
            """
            {"linkId": "d", "type": "display", "text": "Hello"},
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "e", "type": "display", "text": "Careful"}, {"linkId": "a", "type": "string"}]}
            """)
        #expect(task.steps.map(\.kind) == [.instruction, .form])
        #expect(task.steps[0].identifier == "d" && task.steps[0].detailText == "Hello")
        #expect(task.steps[1].formItems.map(\.text) == ["Careful", nil])
    }

    @Test func aBooleanQuestionHasABooleanFormat() throws {
        #expect(try Tasks.row("boolean").row?.format == .boolean(yes: nil, no: nil))
    }

    private static let options = """
        "answerOption": [{"valueCoding": {"system": "http://s", "code": "a", "display": "A"}},
         {"valueCoding": {"system": "http://s", "code": "b", "display": "B"}}]
        """

    @Test(arguments: ["choice", "open-choice"])
    func choicesHaveTheirOptions(type: String) throws {
        guard case .textChoice(let choices, let isMultiple) = try Tasks.row(type, Self.options).row?.format else {
            Issue.record("no choices")
            return
        }
        #expect(!isMultiple && choices.map(\.text) == ["A", "B"] + (type == "choice" ? [] : ["Other"]))
        #expect(choices[0].value == #"{"code":"a","display":"A","system":"http:\/\/s"}"#)
        #expect(choices.map(\.isOther) == [false, false] + (type == "choice" ? [] : [true]))
    }

    /// The original reads the control only.
    @Test func choicesAreMultipleIfTheQuestionRepeats() throws {
        func isMultiple(_ more: String) throws -> Bool? {
            guard case .textChoice(_, let isMultiple) = try Tasks.row("choice", Self.options + more).row?.format else {
                return nil
            }
            return isMultiple
        }
        #expect(try isMultiple(", \"repeats\": true") == true)
        #expect(try isMultiple(", \"extension\": [\(Tasks.control("check-box"))]") == true)
        #expect(try isMultiple("") == false)
    }

    @Test func aDateHasItsBounds() throws {
        let more = """
            "extension": [{"url": "\(Tasks.core)minValue", "valueDate": "2020-01-31"},
             {"url": "\(Tasks.core)maxValue", "valueString": "today()"}]
            """
        guard case .date(let format) = try Tasks.row("date", more).row?.format else {
            Issue.record("no date")
            return
        }
        #expect(!format.hasTime && format.minimum == DateTime("2020-01-31T00:00:00+02:00").start())
        #expect(format.maximum == DateTime("2026-05-06T23:59:59+02:00").start())
        guard case .date(let timed) = try Tasks.row("dateTime").row?.format else {
            Issue.record("no date and time")
            return
        }
        #expect(timed.hasTime && timed.minimum == nil)
        #expect(try Tasks.row("time").row?.format == .timeOfDay)
    }

    @Test func aDecimalAndAQuantityHaveANumericFormat() throws {
        let more = """
            "extension": [{"url": "\(Tasks.core)minValue", "valueDecimal": 0.5},
             {"url": "\(Tasks.core)maxValue", "valueDecimal": 9.75},
             {"url": "\(Tasks.core)maxDecimalPlaces", "valueInteger": 2},
             {"url": "\(Tasks.core)questionnaire-unit", "valueCoding": {"code": "kg", "display": "kilograms"}}]
            """
        for type in ["decimal", "quantity"] {
            guard case .numeric(let format) = try Tasks.row(type, more).row?.format else {
                Issue.record("\(type)")
                continue
            }
            #expect(!format.isInteger && format.unit == "kilograms" && format.fractionDigits == 2)
            #expect(format.minimum == 0.5 && format.maximum == 9.75)
        }
    }

    @Test func anIntegerHasANumericFormatOrAScale() throws {
        func format(_ extensions: String) throws -> SurveyAnswerFormat? {
            try Tasks.row("integer", "\"extension\": [\(extensions)]").row?.format
        }
        let bounds = """
            {"url": "\(Tasks.core)minValue", "valueInteger": 0}, {"url": "\(Tasks.core)maxValue", "valueInteger": 10}
            """
        guard case .numeric(let number) = try format(bounds),
            case .scale(let scale) = try format(
                bounds + ", " + Tasks.control("slider"))
        else {
            Issue.record("no formats")
            return
        }
        #expect(number.isInteger && number.minimum == 0 && number.maximum == 10)
        #expect((scale.minimum, scale.maximum, scale.step) == (0, 10, 1))
        let step = #"{"url": "\#(Tasks.core)questionnaire-sliderStepValue", "valueInteger": 5}"#
        guard case .scale(let stepped) = try format(bounds + ", " + Tasks.control("slider") + ", " + step) else {
            Issue.record("no scale")
            return
        }
        #expect(stepped.step == 5)
    }

    @Test func textsHaveTheirLimits() throws {
        let more = """
            "maxLength": 20, "extension": [{"url": "\(Tasks.core)regex", "valueString": "[a-z]+"},
             {"url": "\(Tasks.core)entryFormat", "valueString": "letters"},
             {"url": "\(Tasks.bdh)validationtext", "valueString": "Letters only"},
             {"url": "\(Tasks.bdh)ios-keyboardtype", "valueString": "emailAddress"},
             {"url": "\(Tasks.bdh)ios-autocapitalizationType", "valueString": "none"},
             {"url": "\(Tasks.bdh)ios-textcontenttype", "valueString": "emailAddress"}]
            """
        for type in ["string", "text"] {
            guard case .text(let format) = try Tasks.row(type, more).row?.format else {
                Issue.record("\(type)")
                continue
            }
            #expect(
                format.maximumLength == 20 && format.hasLines == (type == "text") && format.placeholder == "letters")
            #expect(format.pattern == #"\A(?:[a-z]+)\z"# && format.message == "Letters only")
            #expect(format.keyboard == .emailAddress && format.capitalization == SurveyTextFormat.Capitalization.none)
            #expect(format.contentType == "emailAddress")
        }
    }

    @Test(arguments: ["url", "reference", "question"])
    func otherTypesHaveATextField(type: String) throws {
        guard case .text(let format) = try Tasks.row(type).row?.format else {
            Issue.record("\(type)")
            return
        }
        #expect(!format.hasLines && format.keyboard == (type == "url" ? .url : .standard))
    }

    /// The original does not apply `required` to photos, and shows a text field in groups.
    @Test func aPhotoIsAStepOfItsOwnThatDividesItsPage() throws {
        let (step, _) = try Tasks.row("attachment", "\"required\": true")
        #expect(step.kind == .imageCapture && step.identifier == "q" && !step.isOptional && step.text == "Q")
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "text": "G", "item": [
              {"linkId": "a", "type": "string"}, {"linkId": "p", "type": "attachment"}, {"linkId": "b", "type": "string"}]}
            """)
        #expect(task.steps.map(\.identifier) == ["g", "p", "b"])
        #expect(task.steps.map(\.kind) == [.form, .imageCapture, .form] && task.steps.map(\.text) == ["G", nil, "G"])
    }

    @Test func aFileThatIsNoPictureHasAFieldForItsAddress() throws {
        let more = #""extension": [{"url": "\#(Tasks.core)mimeType", "valueCode": "application/pdf"}]"#
        #expect(try Tasks.row("attachment", more).row?.format?.className == "ORKTextAnswerFormat")
    }

    @Test func aRequiredQuestionOrGroupMakesTheStepRequired() throws {
        let item = #"{"linkId": "a", "type": "string", "required": true}, {"linkId": "b", "type": "string"}"#
        let task = try Tasks.task(#"{"linkId": "g", "type": "group", "item": [\#(item)]}"#)
        #expect(!task.steps[0].isOptional && task.steps[0].formItems.map(\.isOptional) == [false, true])
        let group = try Tasks.task(
            #"{"linkId": "g", "type": "group", "required": true, "item": [{"linkId": "b", "type": "string"}]}"#)
        #expect(!group.steps[0].isOptional)
        #expect(try Tasks.row("string").step.isOptional)
    }

    @Test func thePrefixPrecedesTheTextEverywhere() throws {
        let task = try Tasks.task(
            """
            {"linkId": "a", "type": "string", "prefix": "1.", "text": "One"},
            {"linkId": "g", "type": "group", "item": [{"linkId": "b", "type": "string", "prefix": "2.", "text": "Two"}]}
            """)
        #expect(task.steps.flatMap(\.questions).map(\.text) == ["1. One", "2. Two"])
    }

    /// The original shows hidden children of groups, and drops those of questions.
    @Test func hiddenAndReadOnlyQuestionsAreNotAsked() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "h", "type": "string", "extension": [
                {"url": "\(Tasks.core)questionnaire-hidden", "valueBoolean": true}]},
              {"linkId": "r", "type": "string", "text": "Study", "readOnly": true, "initial": [{"valueString": "Sleep"}]},
              {"linkId": "a", "type": "string"}]}
            """)
        #expect(task.steps[0].formItems.map(\.identifier) == ["r", "a"])
        #expect(task.steps[0].questions.map(\.identifier) == ["a"] && task.steps[0].formItems[0].detailText == "Sleep")
    }

    /// Issue 26 of the original.
    @Test func questionsWithoutTextsAndLinkIDsAreAsked() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "a", "type": "string"}, {"type": "integer"}, {"linkId": "c", "type": "boolean"}]}
            """)
        #expect(task.steps[0].questions.map(\.identifier) == ["a", "item", "c"])
    }

    @Test func questionsBelowAQuestionAreOnItsPage() throws {
        let task = try Tasks.task(
            """
            {"linkId": "q", "type": "boolean", "item": [
              {"linkId": "a", "type": "string", "item": [{"linkId": "b", "type": "string"}]}]}
            """)
        #expect(task.steps.map(\.identifier) == ["q"] && task.steps[0].questions.map(\.identifier) == ["q", "a", "b"])
        #expect(task.steps[0].formItems.map(\.isConditional) == [false, true, true])
    }

    /// The original skips the items below a question in a group.
    @Test func questionsBelowAQuestionInAGroupAreOnThePageOfTheGroup() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "q", "type": "boolean", "item": [{"linkId": "a", "type": "string"}]}]}
            """)
        #expect(task.steps.map(\.identifier) == ["g"] && task.steps[0].questions.map(\.identifier) == ["q", "a"])
    }

    @Test func aTaskHasTheIdentifierOfItsForm() throws {
        #expect(try Tasks.task(#"{"linkId": "a", "type": "string"}"#).identifier == "https://example.org/form")
        var questionnaire = Questionnaire(JSONObject(resourceType: "Questionnaire", id: "sleep"))
        questionnaire["item"] = [["linkId": "a", "type": "string"]]
        #expect(try SurveyTask(QuestionnaireForm(questionnaire)).identifier == "sleep")
    }

    @Test func aFormWithoutItemsIsAnError() throws {
        #expect(throws: SurveyTaskError.noItems) { try Tasks.task("") }
    }

    @Test func notesAndLinksAreInTheDetailText() throws {
        let more = """
            "item": [{"linkId": "h", "type": "display", "text": "Help", "extension": [\(Tasks.control("help"))]}],
            "extension": [{"url": "\(Tasks.core)questionnaire-supportLink", "valueUri": "https://example.org"}]
            """
        #expect(try Tasks.row("string", more).row?.detailText == "Help\nhttps://example.org")
    }

    @Test func textsAndOurOwnWordsAreInTheLanguageOfTheForm() throws {
        func translated(_ text: String) -> String {
            """
            {"extension": [{"url": "\(Tasks.core)translation", "extension": [
              {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "\(text)"}]}]}
            """
        }
        let form = QuestionnaireForm(
            try form(
                """
                {"linkId": "a", "type": "boolean", "text": "Well?", "_text": \(translated("Gut?"))},
                {"linkId": "b", "type": "open-choice", "answerOption": [
                  {"valueCoding": {"code": "y", "display": "Yellow", "_display": \(translated("Gelb"))}}]}
                """, #""language": "en""#
            ).questionnaire, language: "de")
        let rows = try SurveyTask(form).steps.flatMap(\.questions)
        #expect(rows[0].text == "Gut?" && rows[0].format == .boolean(yes: "Ja", no: "Nein"))
        guard case .textChoice(let choices, _) = rows[1].format else {
            Issue.record("no choices")
            return
        }
        #expect(choices.map(\.text) == ["Gelb", "Andere"])
        #expect(choices[0].value == #"{"code":"y","display":"Yellow"}"#, "codings stay as they are in the form")
    }

    /// The engine evaluates expressions; the task follows them.
    @Test func stepsFollowTheExpressionsOfTheForm() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "integer"},
            {"linkId": "b", "type": "string", "text": "B", "extension": [
              {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
               "valueExpression": {"language": "text/fhirpath",
                "expression": "%resource.item.where(linkId = 'a').answer.value > 2"}}]}
            """)
        let task = try SurveyTask(form)
        var session = FormSession(form)
        #expect(task.steps.map(\.isConditional) == [false, true])
        session["a"] = .integer(1)
        #expect(task.steps(in: session).map(\.identifier) == ["a"])
        session["a"] = .integer(3)
        #expect(task.steps(in: session).map(\.identifier) == ["a", "b"])
    }

    @Test func aScaleHasTheTextsOfItsEnds() throws {
        let more = """
            "extension": [\(Tasks.control("slider")), {"url": "\(Tasks.core)minValue", "valueInteger": 1},
             {"url": "\(Tasks.core)maxValue", "valueInteger": 5},
             {"url": "\(Tasks.core)questionnaire-choiceOrientation", "valueCode": "vertical"}],
            "item": [{"linkId": "l", "type": "display", "text": "none", "extension": [\(Tasks.control("lower"))]},
             {"linkId": "u", "type": "display", "text": "worst", "extension": [\(Tasks.control("upper"))]}]
            """
        guard case .scale(let scale) = try Tasks.row("integer", more).row?.format else {
            Issue.record("no scale")
            return
        }
        #expect(scale.minimumDescription == "none" && scale.maximumDescription == "worst" && scale.isVertical)
        #expect(try Tasks.row("integer", more).row?.detailText == nil)
    }

    @Test func identifiersAreUniqueForAnyForm() throws {
        let task = try Tasks.task(
            """
            {"linkId": "a", "type": "string"}, {"linkId": "g", "type": "group", "item": [
              {"linkId": "a", "type": "string"}, {"linkId": "a#2", "type": "string"}, {"linkId": "g", "type": "string"},
              {"type": "string"}, {"type": "display", "text": "x"}, {"type": "display", "text": "y"}]}
            """)
        #expect(Set(task.steps.map(\.identifier)).count == task.steps.count)
        let rows = task.steps.flatMap(\.formItems)
        #expect(Set(rows.map(\.identifier)).count == rows.count)
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyPublishedFormIsATaskThatAsksEachQuestionOnce() throws {
        for name in try Published.forms() {
            let form = try Published.form(name)
            guard !form.items.isEmpty else { continue }
            let task = try SurveyTask(form)
            var asked: [String: Int] = [:]
            for step in task.steps {
                for row in step.questions { asked[row.linkID, default: 0] += 1 }
                if step.kind == .imageCapture { asked[step.paths[0].steps.last?.linkID ?? "", default: 0] += 1 }
            }
            var expected: Set<String> = []
            func collect(_ items: [FormItem]) {
                for item in items where !item.isHidden {
                    if item.isQuestion, !item.isReadOnly { expected.insert(item.linkID) }
                    collect(item.children)
                }
            }
            collect(form.items)
            #expect(Set(asked.keys) == expected && asked.values.allSatisfy { $0 == 1 }, "\(name): \(asked)")
        }
    }

    @Test func choicesOfAnExpressionHaveTheTextOfTheirColumn() throws {
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        let task = try Tasks.task(
            """
            {"linkId": "q", "type": "reference", "extension": [
             {"url": "\(sdc)candidateExpression", "valueExpression": {"language": "text/fhirpath", "expression": "%questionnaire.contained"}},
             {"url": "\(sdc)choiceColumn", "extension": [
              {"url": "path", "valueString": "name.text"}, {"url": "forDisplay", "valueBoolean": true}]}]}
            """, #""contained": [{"resourceType": "Practitioner", "id": "1", "name": [{"text": "Dr Poe"}]}]"#)
        guard case .textChoice(let choices, _)? = task.steps.first?.questions.first?.format else {
            Issue.record("no choice")
            return
        }
        #expect(choices.map(\.text) == ["Dr Poe", "Other"] && choices.map(\.isOther) == [false, true])
        for (chosen, reference) in [(choices[0].value, "Practitioner/1"), ("Patient/7", "Patient/7")] {
            let members = "\"choiceAnswers\": [\(JSON.string(chosen).text())]"
            let (response, problems) = task.response(
                for: try Tasks.result(("q", "ORKChoiceQuestionResult", members)))
            #expect(response["item"]?[0]?["answer"]?[0]?["valueReference"]?["reference"]?.string == reference)
            #expect(problems.isEmpty)
        }
    }
}
