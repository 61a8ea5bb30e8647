import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

@testable import ResearchKitForms

/// Answers and responses of task results.
@Suite struct SurveyAnswerTests {
    @Test func aBooleanResultIsABoolean() throws {
        let name = "ORKBooleanQuestionResult"
        #expect(try Tasks.answer("boolean", name, members: "\"booleanAnswer\": 1")?["valueBoolean"] == true)
        #expect(try Tasks.answer("boolean", name, members: "\"booleanAnswer\": 0")?["valueBoolean"] == false)
        #expect(try Tasks.answer("boolean", name, members: "\"booleanAnswer\": true")?["valueBoolean"] == true)
    }

    private static let options = """
        "repeats": true, "answerOption": [
          {"valueCoding": {"system": "http://s", "version": "2", "code": "a", "display": "A"}},
          {"valueString": "text"}, {"valueInteger": 3}]
        """

    @Test func choicesAreTheOptionsOfTheForm() throws {
        let task = try Tasks.task(#"{"linkId": "q", "type": "open-choice", \#(Self.options)}"#)
        let values = [
            #""{\"code\":\"a\",\"display\":\"A\",\"system\":\"http:\\/\\/s\"}""#, #""text""#,
            #""{\"valueInteger\":3}""#,
            #""my own""#,
        ]
        let result = try Tasks.result(
            ("q", "ORKChoiceQuestionResult", "\"choiceAnswers\": [\(values.joined(separator: ", "))]"))
        #expect(
            task.response(for: result).response["item"]?[0]?["answer"]?.text() == """
                [{"valueCoding":{"system":"http://s","version":"2","code":"a","display":"A"}},{"valueString":"text"},\
                {"valueInteger":3},{"valueString":"my own"}]
                """)
    }

    @Test func storedChoicesOfTheOriginalAreRead() throws {
        // Without a display, with one of another time, and with unescaped slashes.
        for value in [
            #"{\"code\":\"a\",\"display\":null,\"system\":\"http:\\/\\/s\"}"#,
            #"{\"code\":\"a\",\"display\":\"Old\",\"system\":\"http://s\"}"#,
            #"{\"system\":\"http://s\",\"code\":\"a\"}"#,
        ] {
            let answer = try Tasks.answer(
                "choice", "ORKChoiceQuestionResult", members: "\"choiceAnswers\": [\"\(value)\"]", more: Self.options)
            #expect(answer?["valueCoding"]?["code"] == "a" && answer?["valueCoding"]?["version"] == "2", "\(value)")
        }
    }

    @Test func theValueOfAChoiceIsReadAsItsAnswer() {
        let values: [AnswerValue] = [
            .coding(Coding(system: "http://a/b", code: "c\\/\"d", display: "é")),
            .coding(Coding(system: nil, code: "x")),
            .text("plain"), .integer(3), .decimal(JSONNumber(text: "1.50") ?? JSONNumber(1)),
            AnswerValue(type: "Date", json: "2020-01"),
            AnswerValue(type: "Reference", json: ["reference": "Patient/1"]),
        ]
        for value in values {
            #expect(SurveyChoiceValue.answer(SurveyChoiceValue.text(value), among: values) == value)
            #expect(SurveyChoiceValue.answer(SurveyChoiceValue.text(value), among: []).equals(value))
        }
        #expect(SurveyChoiceValue.answer("{not json", among: []) == .text("{not json"))
        #expect(SurveyChoiceValue.answer("{}", among: []) == .text("{}"))
    }

    @Test func aUnitIsNamedInTheLanguageAndReadAsTheFormsUnit() throws {
        let translation =
            #"{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Stunden"}]}]}"#
        let questionnaire = try form(
            """
            {"linkId": "q", "type": "quantity", "extension": [
             {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption", "valueCoding": {
              "system": "http://unitsofmeasure.org", "code": "h", "display": "hours", "_display": \(translation)}}]}
            """, #""language": "en""#
        ).questionnaire
        let task = try SurveyTask(QuestionnaireForm(questionnaire, language: "de"))
        guard case .numeric(let format)? = task.steps.first?.questions.first?.format else {
            Issue.record("no number")
            return
        }
        #expect(format.unit == "Stunden")
        let result = try Tasks.result(("q", "ORKNumericQuestionResult", #""numericAnswer": 8, "unit": "Stunden""#))
        let answer = task.response(for: result).response["item"]?[0]?["answer"]?[0]?["valueQuantity"]
        #expect(answer?["unit"]?.string == "hours" && answer?["code"]?.string == "h")
    }

    /// The original makes a quantity of a decimal with a unit, and a decimal of a quantity without one.
    @Test func numbersHaveTheTypeOfTheirQuestion() throws {
        let name = "ORKNumericQuestionResult"
        let number = "\"numericAnswer\": 1.50"
        let unit =
            #""extension": [{"url": "\#(Tasks.core)questionnaire-unit", "valueCoding": {"system": "http://unitsofmeasure.org", "code": "kg", "display": "kilograms"}}]"#
        #expect(try Tasks.answer("decimal", name, members: number)?.text() == #"{"valueDecimal":1.50}"#)
        #expect(
            try Tasks.answer("decimal", name, members: number + ", \"unit\": \"kilograms\"", more: unit)?.text()
                == #"{"valueDecimal":1.50}"#)
        #expect(
            try Tasks.answer("quantity", name, members: number + ", \"unit\": \"kilograms\"", more: unit)?.text() == """
                {"valueQuantity":{"value":1.50,"unit":"kilograms","system":"http://unitsofmeasure.org","code":"kg"}}
                """)
        #expect(
            try Tasks.answer("quantity", name, members: number, more: unit)?["valueQuantity"]?["code"] == "kg",
            "the unit of the form")
        #expect(
            try Tasks.answer("quantity", name, members: number + ", \"unit\": \"stones\"", more: unit)?.text()
                == #"{"valueQuantity":{"value":1.50,"unit":"stones"}}"#)
        #expect(try Tasks.answer("integer", name, members: "\"numericAnswer\": 7")?.text() == #"{"valueInteger":7}"#)
        #expect(try Tasks.answer("integer", name, members: "\"numericAnswer\": 7.0")?.text() == #"{"valueInteger":7}"#)
    }

    @Test func scalesHaveTheTypeOfTheirQuestion() throws {
        let name = "ORKScaleQuestionResult"
        #expect(try Tasks.answer("integer", name, members: "\"scaleAnswer\": 4")?.text() == #"{"valueInteger":4}"#)
        #expect(
            try Tasks.answer("decimal", name, members: "\"scaleAnswer\": 4.25")?.text() == #"{"valueDecimal":4.25}"#)
        #expect(
            try Tasks.answer("quantity", name, members: "\"scaleAnswer\": 4")?["valueQuantity"]?["value"]?.text() == "4"
        )
    }

    @Test func datesAreThoseOfTheClockOnTheWall() throws {
        let members = #""dateAnswer": "2019-05-27T00:35:06-0700", "timeZone": 3600"#
        #expect(
            try Tasks.answer("date", "ORKDateQuestionResult", members: members)?.text()
                == #"{"valueDate":"2019-05-27"}"#)
        #expect(
            try Tasks.answer("dateTime", "ORKDateQuestionResult", members: members)?.text()
                == #"{"valueDateTime":"2019-05-27T08:35:06+01:00"}"#)
        let late = #""dateAnswer": "2019-05-27T23:35:06-0700", "timeZone": 3600"#
        #expect(
            try Tasks.answer("date", "ORKDateQuestionResult", members: late)?.text() == #"{"valueDate":"2019-05-28"}"#)
        #expect(
            try Tasks.answer("time", "ORKTimeOfDayQuestionResult", members: "\"dateComponentsAnswer\": \"08:05\"")?
                .text()
                == #"{"valueTime":"08:05:00"}"#)
    }

    /// The original makes a string of all.
    @Test func textsHaveTheTypeOfTheirQuestion() throws {
        func answer(_ type: String, _ text: String) throws -> String? {
            try Tasks.answer(type, "ORKTextQuestionResult", members: "\"textAnswer\": \"\(text)\"")?.text()
        }
        #expect(try answer("string", "a") == #"{"valueString":"a"}"#)
        #expect(try answer("text", "a\\nb") == #"{"valueString":"a\nb"}"#)
        #expect(try answer("url", "https://example.org") == #"{"valueUri":"https://example.org"}"#)
        #expect(try answer("reference", "Patient/1") == #"{"valueReference":{"reference":"Patient/1"}}"#)
    }

    /// The original has `answer: [{}]` for a question without an answer.
    @Test func questionsWithoutAnAnswerAreNotInTheResponse() throws {
        let none = [
            ("ORKBooleanQuestionResult", "\"questionType\": 7"), ("ORKTextQuestionResult", "\"textAnswer\": \"\""),
            ("ORKTextQuestionResult", "\"textAnswer\": \"  \""), ("ORKChoiceQuestionResult", "\"choiceAnswers\": []"),
            ("ORKNumericQuestionResult", "\"noAnswerType\": {\"_class\": \"ORKDontKnowAnswer\"}"),
            ("ORKDateQuestionResult", "\"calendar\": \"gregorian\""), ("ORKFileResult", "\"fileName\": \"\""),
            ("ORKQuestionResult", "\"questionType\": 0"),
        ]
        let task = try Tasks.task(#"{"linkId": "q", "type": "string"}"#)
        for (name, members) in none {
            let result = try Tasks.result(("q", name, members))
            let (response, problems) = task.response(for: result)
            #expect(response["item"]?.text() == nil && problems.isEmpty, "\(name)")
            #expect(result.flatResponse()["item"]?.text() == nil, "\(name)")
        }
    }

    /// The original has the address of the file on the phone.
    @Test func photosAreData() throws {
        let task = try Tasks.task(#"{"linkId": "q", "type": "attachment"}"#)
        let result = try Tasks.result(
            ("q", "ORKFileResult", #""fileURL": "file:///tmp/photo.jpg", "contentType": "image/jpeg""#))
        let (response, _) = task.response(for: result, file: { $0.name == "photo.jpg" ? Data([1, 2, 3]) : nil })
        #expect(
            response["item"]?[0]?["answer"]?[0]?.text() == """
                {"valueAttachment":{"contentType":"image/jpeg","data":"AQID","size":3,"title":"photo.jpg"}}
                """)
        let missing = task.response(for: result)
        #expect(missing.response["item"]?.text() == nil && missing.problems.map(\.code) == ["file-missing"])
    }

    /// The response of the original is flat.
    @Test func theResponseIsNestedAsTheForm() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "text": "G", "item": [
              {"linkId": "a", "type": "string", "item": [{"linkId": "b", "type": "integer"}]}]}
            """)
        let result = try Tasks.result(
            ("b", "ORKNumericQuestionResult", "\"numericAnswer\": 2"),
            ("a", "ORKTextQuestionResult", "\"textAnswer\": \"x\""))
        let response = try task.completedResponse(for: result, subject: "Patient/p1")
        #expect(
            response["item"]?.text() == """
                [{"linkId":"g","text":"G","item":[{"linkId":"a","answer":[{"valueString":"x","item":[\
                {"linkId":"b","answer":[{"valueInteger":2}]}]}]}]}]
                """)
        #expect(response.subject?.reference == "Patient/p1" && response.status == .completed)
        #expect(response.authored?.text == "2026-05-06T10:00:00+02:00", "the end of the result")
        #expect(response.questionnaire == "https://example.org/form|1")
    }

    @Test func answersOfDisabledItemsAreNotInTheResponse() throws {
        let task = try Tasks.task(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]}
            """)
        let result = try Tasks.result(
            ("a", "ORKBooleanQuestionResult", "\"booleanAnswer\": 0"),
            ("b", "ORKTextQuestionResult", "\"textAnswer\": \"x\""))
        #expect(
            task.response(for: result).response["item"]?.text()
                == #"[{"linkId":"a","answer":[{"valueBoolean":false}]}]"#)
    }

    @Test func anIncompleteResultIsAnError() throws {
        let task = try Tasks.task(#"{"linkId": "q", "type": "string", "required": true}"#)
        let empty = try Tasks.result()
        let error = #expect(throws: IncompleteResponse.self) { try task.completedResponse(for: empty) }
        #expect(error?.problems.map(\.code) == ["required"])
    }

    @Test func resultsThatTheFormDoesNotHaveAreReportedWithTheirLocation() throws {
        let task = try Tasks.task(
            #"{"linkId": "q", "type": "date"}, {"linkId": "g", "type": "group", "item": [{"linkId": "a", "type": "string"}]}"#
        )
        let result = try Tasks.result(
            ("x", "ORKTextQuestionResult", "\"textAnswer\": \"x\""),
            ("g", "ORKTextQuestionResult", "\"textAnswer\": \"x\""),
            ("q", "ORKTextQuestionResult", "\"textAnswer\": \"soon\""), ("q", "ORKStroopResult", "\"color\": \"red\""))
        let problems = task.reading(result).problems
        #expect(problems.map(\.code) == ["link-id-unknown", "link-id-unknown", "answer-type", "result-class"])
        #expect(problems.map(\.expression) == (0..<4).map { "$.results[0].results[\($0)]" })
    }

    @Test func anAppsOwnAnswersReplaceThoseOfTheResult() throws {
        let task = try Tasks.task(#"{"linkId": "q", "type": "integer"}"#)
        let result = try Tasks.result(("q", "PainResult", "\"level\": 4"))
        let response = task.response(
            for: result,
            custom: { result, item in item.linkID == "q" ? result["level"]?.integer.map { [.integer($0)] } : nil })
        #expect(response.response["item"]?[0]?["answer"]?[0]?["valueInteger"] == 4)
    }

    @Test func repetitionsHavePaths() throws {
        let task = try Tasks.task(
            """
            {"linkId": "m", "type": "group", "repeats": true, "item": [{"linkId": "name", "type": "string"}]}
            """)
        func text(_ value: String) -> String { "\"textAnswer\": \"\(value)\"" }
        let result = try Tasks.result(
            ("name", "ORKTextQuestionResult", text("x")), ("+m[1]", "ORKBooleanQuestionResult", "\"booleanAnswer\": 1"),
            ("m[1]/name", "ORKTextQuestionResult", text("y")),
            ("+m[2]", "ORKBooleanQuestionResult", "\"booleanAnswer\": 0"),
            ("m[2]/name", "ORKTextQuestionResult", text("z")))
        #expect(
            task.response(for: result).response["item"]?.text() == """
                [{"linkId":"m","item":[{"linkId":"name","answer":[{"valueString":"x"}]}]},\
                {"linkId":"m","item":[{"linkId":"name","answer":[{"valueString":"y"}]}]}]
                """, "a repetition that the person does not want is not in it")
    }

    @Test func aHundredThousandResultsTakeBoundedTime() throws {
        let task = try Tasks.task(
            """
            {"linkId": "m", "type": "group", "repeats": true, "item": [
              {"linkId": "n", "type": "group", "repeats": true, "item": [{"linkId": "name", "type": "string"}]}]}
            """)
        var results: [SurveyResult] = []
        for index in 0..<90_000 {
            var result = SurveyResult(className: "ORKTextQuestionResult", identifier: "m[\(index % 900)]/n[999]/name")
            result["textAnswer"] = "x"
            results.append(result)
        }
        var step = SurveyResult(className: "ORKStepResult", identifier: "m")
        step.results = results
        var whole = SurveyResult(className: "ORKTaskResult", identifier: "t")
        whole.results = [step]
        let reading = task.reading(whole)
        #expect(reading.session.instanceCount(at: path("m")) <= 900)
        #expect(reading.session.instanceCount(at: path(("m", 0), ("n", 0))) == 1, "a group gets its next instance only")
    }
}
