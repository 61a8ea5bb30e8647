import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import ResearchKit
import ResearchKitForms
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// Tasks that create their steps, responses, an app's own kinds of questions, and photos.
@Suite struct FormTaskTests {
    private static func questionnaire(_ items: String, _ more: String = #""title": "Form""#) throws -> Questionnaire {
        try form(items, more).questionnaire
    }

    private func answer(_ walk: TaskWalk, _ identifier: String, with value: String) {
        let result = ORKTextQuestionResult(identifier: identifier)
        result.textAnswer = value
        walk.answer(result)
    }

    private func answer(_ walk: TaskWalk, _ identifier: String, with value: Bool) {
        let result = ORKBooleanQuestionResult(identifier: identifier)
        result.booleanAnswer = NSNumber(value: value)
        walk.answer(result)
    }

    private static let drugs = """
        {"linkId": "drug", "type": "group", "repeats": true, "text": "Drug", "item": [
          {"linkId": "name", "type": "string", "text": "Name", "required": true}]},
        {"linkId": "end", "type": "string"}
        """

    @Test func repetitionsAreAskedAsOftenAsThePersonWants() throws {
        let task = try FormTask(try Self.questionnaire(Self.drugs))
        let walk = TaskWalk(task)
        for name in ["x", "y", "z"] {
            let identifier = name == "x" ? "name" : "drug[\(name == "y" ? 1 : 2)]/name"
            answer(walk, identifier, with: name)
            walk.goForward()
            let prompt = try #require(walk.currentStep as? ORKFormStep)
            #expect(prompt.formItems?.first?.text == "Another one: Drug?")
            answer(walk, prompt.identifier, with: name != "z")
            walk.goForward()
        }
        #expect(walk.currentStep?.identifier == "end")
        walk.goForward()
        #expect(walk.currentStep == nil)
        let response = try task.fhirResponse(for: walk.result, subject: "Patient/p1")
        let names = response.item.map { $0.item.first?.answer.first?.value?.json.string }
        #expect(names == ["x", "y", "z"] && response.subject?.reference == "Patient/p1")
    }

    @Test func aPersonCanReturnAndChangeTheirMind() throws {
        let task = try FormTask(try Self.questionnaire(Self.drugs))
        let walk = TaskWalk(task)
        answer(walk, "name", with: "x")
        walk.goForward()
        answer(walk, "+drug[1]", with: true)
        walk.goForward()
        answer(walk, "drug[1]/name", with: "y")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "+drug[1]")
        answer(walk, "+drug[1]", with: false)
        walk.goForward()
        walk.goForward()
        #expect(walk.currentStep == nil)
        #expect(try task.fhirResponse(for: walk.result).item.count == 1)
    }

    /// Two rows and a page that an answer in any repetition of the group after them enables.
    private static let lookingAhead = """
        {"linkId": "g", "type": "group", "text": "About you", "item": [
          {"linkId": "n", "type": "string"}, {"linkId": "why", "type": "string", "text": "Why?", CONDITION},
          {"linkId": "when", "type": "string", CONDITION}]},
        {"linkId": "page", "type": "string", CONDITION},
        {"linkId": "drug", "type": "group", "repeats": true, "text": "Drug", "item": [
          {"linkId": "bad", "type": "boolean"}]},
        {"linkId": "end", "type": "string"}
        """.replacing(
            "CONDITION", with: #""enableWhen": [{"question": "bad", "operator": "=", "answerBoolean": true}]"#)

    /// Walks to the step after the last page, with a bad drug in the second repetition.
    private func walkToTheEnd(_ task: FormTask) -> TaskWalk {
        let walk = TaskWalk(task)
        #expect(walk.currentStep?.identifier == "g" && walk.visibleItems.map(\.identifier) == ["n"])
        walk.goForward()
        for (identifier, value) in [("bad", false), ("+drug[1]", true), ("drug[1]/bad", true), ("+drug[2]", false)] {
            answer(walk, identifier, with: value)
            walk.goForward()
        }
        #expect(walk.currentStep?.identifier == "end")
        walk.goForward()
        return walk
    }

    @Test func rowsOfAnEarlierPageThatALaterAnswerEnablesAreAskedAtTheEnd() throws {
        let task = try FormTask(
            try Self.questionnaire(Self.lookingAhead), completionStep: ORKCompletionStep(identifier: "done"))
        let walk = walkToTheEnd(task)
        #expect(walk.currentStep?.identifier == "page")
        answer(walk, "page", with: "p")
        walk.goForward()
        #expect(walk.currentStep?.identifier == "g+" && walk.visibleItems.map(\.identifier) == ["why", "when"])
        #expect(walk.currentStep?.text == "About you")
        answer(walk, "why", with: "w")
        walk.goForward()
        #expect(walk.currentStep?.identifier == "done", "a row that is skipped is not asked again")
        walk.goForward()
        #expect(walk.currentStep == nil)
        let response = try task.fhirResponse(for: walk.result)
        #expect(response.item.map { $0.linkId ?? "" } == ["g", "page", "drug", "drug"])
        #expect(response.item.first?.item.map { $0.linkId ?? "" } == ["why"])
    }

    @Test func aPersonCanReturnFromTheRowsAtTheEnd() throws {
        let task = try FormTask(
            try Self.questionnaire(Self.lookingAhead), completionStep: ORKCompletionStep(identifier: "done"))
        let walk = walkToTheEnd(task)
        walk.goForward()
        walk.goForward()
        #expect(walk.currentStep?.identifier == "done")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "g+")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "page")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "end")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "+drug[2]")
        #expect(walk.goBackward() && walk.currentStep?.identifier == "drug[1]")
        answer(walk, "drug[1]/bad", with: false)
        for expected in ["+drug[2]", "end", "done"] {
            walk.goForward()
            #expect(walk.currentStep?.identifier == expected)
        }
    }

    @Test func aFormForOneDirectionHasNoWayBack() throws {
        let mode = """
            "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-entryMode",
             "valueCode": "sequential"}]
            """
        let items = #"{"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}"#
        let walk = TaskWalk(try FormTask(try Self.questionnaire(items, mode)))
        walk.goForward()
        #expect(!walk.goBackward() && walk.currentStep?.identifier == "b")
    }

    @Test func aResponseFillsInTheTaskThatContinuesIt() throws {
        let questionnaire = try Self.questionnaire(
            """
            {"linkId": "b", "type": "boolean"}, {"linkId": "n", "type": "decimal"}, {"linkId": "d", "type": "date"},
            {"linkId": "t", "type": "time"}, {"linkId": "s", "type": "string"},
            {"linkId": "c", "type": "choice", "answerOption": [{"valueCoding": {"code": "x", "display": "X"}}]},
            {"linkId": "h", "type": "string", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true}]}
            """)
        let earlier = try response(
            """
            {"linkId": "b", "answer": [{"valueBoolean": true}]}, {"linkId": "n", "answer": [{"valueDecimal": 1.50}]},
            {"linkId": "d", "answer": [{"valueDate": "2026-02-03"}]},
            {"linkId": "t", "answer": [{"valueTime": "08:30:00"}]}, {"linkId": "s", "answer": [{"valueString": "a"}]},
            {"linkId": "c", "answer": [{"valueCoding": {"code": "x", "display": "X"}}]},
            {"linkId": "h", "answer": [{"valueString": "kept"}]}
            """)
        let task = try FormTask(questionnaire, response: earlier)
        let walk = TaskWalk(task, defaultResultSource: task)
        while walk.currentStep != nil {
            #expect(walk.defaultResults.count == 1)
            walk.goForward()
        }
        let again = try task.fhirResponse(for: walk.result)
        let values = again.item.map { $0.answer.first?.json.text() }
        #expect(
            values == [
                #"{"valueBoolean":true}"#, #"{"valueDecimal":1.5}"#, #"{"valueDate":"2026-02-03"}"#,
                #"{"valueTime":"08:30:00"}"#, #"{"valueString":"a"}"#,
                #"{"valueCoding":{"code":"x","display":"X"}}"#, #"{"valueString":"kept"}"#,
            ])
    }

    /// The original ignores initial values.
    @Test func initialValuesAreFilledIn() throws {
        let questionnaire = try Self.questionnaire(
            """
            {"linkId": "s", "type": "string", "initial": [{"valueString": "x"}]},
            {"linkId": "c", "type": "choice", "answerOption": [
              {"valueCoding": {"code": "a"}}, {"valueCoding": {"code": "b"}, "initialSelected": true}]}
            """)
        let task = try FormTask(questionnaire)
        let walk = TaskWalk(task, defaultResultSource: task)
        #expect((walk.defaultResults.first as? ORKTextQuestionResult)?.textAnswer == "x")
        walk.goForward()
        let chosen = (walk.defaultResults.first as? ORKChoiceQuestionResult)?.choiceAnswers?.first as? NSString
        #expect(chosen == #"{"code":"b","display":null}"#)
        walk.goForward()
        #expect(try task.fhirResponse(for: walk.result).item.count == 2)
    }

    @Test func theCompletionStepIsLast() throws {
        let questionnaire = try Self.questionnaire(#"{"linkId": "a", "type": "string"}"#)
        let completion = ORKCompletionStep(identifier: "done")
        for task in [
            try ORKNavigableOrderedTask(questionnaire: questionnaire, completionStep: completion),
            try FormTask(questionnaire, completionStep: completion),
        ] as [any ORKTask] {
            let walk = TaskWalk(task)
            #expect(walk.currentStep?.identifier == "a" && task.identifier == "https://example.org/form")
            walk.goForward()
            #expect(walk.currentStep === completion)
            walk.goForward()
            #expect(walk.currentStep == nil)
        }
    }

    /// The original documents a title, and does not use it.
    @Test func theTitleIsThatOfTheCallOrOfTheForm() throws {
        let questionnaire = try Self.questionnaire(#"{"linkId": "a", "type": "string"}"#)
        #expect(try ORKNavigableOrderedTask(questionnaire: questionnaire).steps[0].title == "Form")
        #expect(try ORKNavigableOrderedTask(title: "Mine", questionnaire: questionnaire).steps[0].title == "Mine")
        #expect(throws: SurveyTaskError.noItems) {
            try ORKNavigableOrderedTask(questionnaire: try Self.questionnaire(""))
        }
    }

    @Test func allQuestionsAreInFormSteps() throws {
        let questionnaire = try Self.questionnaire(
            """
            {"linkId": "a", "type": "boolean"}, {"linkId": "i", "type": "display", "text": "Text"},
            {"linkId": "p", "type": "attachment"}
            """)
        let steps = try ORKNavigableOrderedTask(questionnaire: questionnaire).steps
        #expect(steps[0] is ORKFormStep && steps[1] is ORKInstructionStep && steps[2] is ORKImageCaptureStep)
    }

    @Test func anAppsOwnKindOfQuestionHasItsFormatAndAnswers() throws {
        final class PainFormat: ORKAnswerFormat {}
        final class PainResult: ORKResult { var level = 0 }
        let kinds = QuestionKinds(
            format: { $0.linkID == "pain" ? PainFormat() : nil },
            answers: { result, _ in (result as? PainResult).map { [.integer($0.level)] } })
        let questionnaire = try Self.questionnaire(
            """
            {"linkId": "pain", "type": "integer"},
            {"linkId": "why", "type": "string", "enableWhen": [{"question": "pain", "operator": ">", "answerInteger": 3}]}
            """)
        let task = try FormTask(questionnaire, kinds: kinds)
        let walk = TaskWalk(task)
        #expect((walk.currentStep as? ORKFormStep)?.formItems?.first?.answerFormat is PainFormat)
        let result = PainResult(identifier: "pain")
        result.level = 2
        walk.answer(result)
        #expect(task.step(after: walk.currentStep, with: walk.result) == nil)
        result.level = 7
        walk.answer(result)
        walk.goForward()
        #expect(walk.currentStep?.identifier == "why")
        answer(walk, "why", with: "x")
        walk.goForward()
        #expect(try task.fhirResponse(for: walk.result).item.first?.answer.first?.value == .integer(7))
        let navigable = try ORKNavigableOrderedTask(questionnaire: questionnaire, kinds: kinds)
        #expect((navigable.steps[0] as? ORKFormStep)?.formItems?.first?.answerFormat is PainFormat)
        #expect(try walk.result.fhirResponse(for: questionnaire, kinds: kinds).item.count == 2)
    }

    @Test func aPhotoIsInTheResponseAsData() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("photo.jpg")
        try Data([0xFF, 0xD8, 1]).write(to: file)
        let questionnaire = try Self.questionnaire(#"{"linkId": "p", "type": "attachment"}"#)
        let walk = TaskWalk(try ORKNavigableOrderedTask(questionnaire: questionnaire))
        let result = ORKFileResult(identifier: "p")
        result.fileURL = file
        result.contentType = "image/jpeg"
        walk.answer(result)
        walk.goForward()
        for response in [walk.result.fhirResponse, try walk.result.fhirResponse(for: questionnaire)] {
            #expect(
                response.item.first?.answer.first?.json.text() == """
                    {"valueAttachment":{"contentType":"image/jpeg","data":"/9gB","size":3,"title":"photo.jpg"}}
                    """)
        }
        folder.remove()
    }

    @Test func theResponseWithoutAFormIsFlat() throws {
        let questionnaire = try Self.questionnaire(
            #"{"linkId": "g", "type": "group", "item": [{"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}]}"#
        )
        let walk = TaskWalk(try ORKNavigableOrderedTask(questionnaire: questionnaire))
        answer(walk, "a", with: "x")
        walk.goForward()
        let response = walk.result.fhirResponse
        #expect(response["item"]?.text() == #"[{"linkId":"a","answer":[{"valueString":"x"}]}]"#)
        #expect(response.status == .completed && response.id != nil && response.authored != nil)
        #expect(response.questionnaire == "https://example.org/form")
        #expect(
            QuestionnaireForm(questionnaire).arranging(response)["item"]?[0]?["linkId"] == "g",
            "the server lays it in the groups of the form")
    }

    @Test func aResultThatMissesAnAnswerIsAnError() throws {
        let questionnaire = try Self.questionnaire(#"{"linkId": "a", "type": "string", "required": true}"#)
        let walk = TaskWalk(try ORKNavigableOrderedTask(questionnaire: questionnaire))
        walk.goForward()
        let result = walk.result
        #expect(throws: IncompleteResponse.self) { try result.fhirResponse(for: questionnaire) }
    }

    @Test func copiesOfRulesDecideAsTheirOriginals() throws {
        let survey = try SurveyTask(
            try form(
                """
                {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "string", "enableWhen": [
                  {"question": "a", "operator": "=", "answerBoolean": true}]}
                """))
        let exceptions = ResearchKitExceptions.exceptions {
            let source = SurveySource(survey, kinds: QuestionKinds(), base: nil)
            let skip = SurveySkipRule(survey.steps[1], source: source).copy() as? ORKSkipStepNavigationRule
            let row =
                SurveyVisibilityRule(survey.steps[1].formItems[0], source: source).copy() as? ORKFormItemVisibilityRule
            let walk = TaskWalk(ORKNavigableOrderedTask(survey))
            #expect(skip?.stepShouldSkip(with: walk.result) == true && row?.formItemVisibility(for: nil) == false)
            answer(walk, "a", with: true)
            #expect(skip?.stepShouldSkip(with: walk.result) == false)
            #expect(row?.formItemVisibility(for: walk.result) == true)
        }
        #expect(exceptions.isEmpty)
    }
}
