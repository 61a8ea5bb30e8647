import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

@testable import ResearchKitForms

/// Formats stay within the limits of ResearchKit's classes.
@Suite struct SurveyFormatLimitTests {
    private func slider(_ type: String, from low: String?, to high: String?, step: String? = nil, digits: Int? = nil)
        throws
        -> SurveyAnswerFormat?
    {
        let kind = type == "integer" ? "Integer" : "Decimal"
        var extensions = [Tasks.control("slider")]
        if let low { extensions.append(#"{"url": "\#(Tasks.core)minValue", "value\#(kind)": \#(low)}"#) }
        if let high { extensions.append(#"{"url": "\#(Tasks.core)maxValue", "value\#(kind)": \#(high)}"#) }
        if let step {
            extensions.append(
                #"{"url": "\#(Tasks.core)questionnaire-sliderStepValue", "value\#(kind)": \#(step)}"#)
        }
        if let digits { extensions.append(#"{"url": "\#(Tasks.core)maxDecimalPlaces", "valueInteger": \#(digits)}"#) }
        return try Tasks.row(type, "\"extension\": [\(extensions.joined(separator: ", "))]").row?.format
    }

    /// The original raises for each of these, or has a scale of 0 to 0.
    @Test func aSliderThatIsNoScaleOfThirteenStepsIsContinuousOrANumber() throws {
        #expect(try slider("integer", from: "0", to: "13")?.className == "ORKScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "14")?.className == "ORKContinuousScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "100")?.className == "ORKContinuousScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "100", step: "10")?.className == "ORKScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "10", step: "3")?.className == "ORKContinuousScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "10", step: "0")?.className == "ORKContinuousScaleAnswerFormat")
        #expect(try slider("integer", from: "5", to: "5")?.className == "ORKNumericAnswerFormat")
        #expect(try slider("integer", from: "6", to: "5")?.className == "ORKNumericAnswerFormat")
        #expect(try slider("integer", from: nil, to: "5")?.className == "ORKNumericAnswerFormat")
        #expect(try slider("integer", from: nil, to: nil)?.className == "ORKNumericAnswerFormat")
        #expect(try slider("integer", from: "9999", to: "10001")?.className == "ORKContinuousScaleAnswerFormat")
        #expect(try slider("integer", from: "0", to: "200000")?.className == "ORKNumericAnswerFormat")
    }

    @Test func aContinuousScaleHasTheDigitsThatItsBoundsPermit() throws {
        guard case .continuousScale(let scale) = try slider("decimal", from: "0", to: "10", digits: 3) else {
            Issue.record("no scale")
            return
        }
        #expect(scale.fractionDigits == 3 && scale.maximum == 10)
        guard case .continuousScale(let large) = try slider("decimal", from: "0", to: "5000", digits: 4) else {
            Issue.record("no scale")
            return
        }
        #expect(large.fractionDigits == 1)
        #expect(try slider("decimal", from: "0.001", to: "5000.001", digits: 3)?.className == "ORKNumericAnswerFormat")
    }

    @Test func contradictingLimitsAreOmitted() throws {
        let more = """
            "extension": [{"url": "\(Tasks.core)minValue", "valueInteger": 9},
             {"url": "\(Tasks.core)maxValue", "valueInteger": 1}]
            """
        guard case .numeric(let number) = try Tasks.row("integer", more).row?.format else {
            Issue.record("no number")
            return
        }
        #expect(number.minimum == nil && number.maximum == nil)
        let dates = """
            "extension": [{"url": "\(Tasks.core)minValue", "valueDate": "2026-02-01"},
             {"url": "\(Tasks.core)maxValue", "valueDate": "2026-01-01"}]
            """
        guard case .date(let date) = try Tasks.row("date", dates).row?.format else {
            Issue.record("no date")
            return
        }
        #expect(date.minimum == nil && date.maximum == nil)
    }

    /// Issues 62 and 63 of the original.
    @Test func aSliderOfOptionsIsATextScaleOfTwoToEight() throws {
        func format(_ count: Int, _ more: String = "") throws -> SurveyAnswerFormat? {
            let options = (1...max(count, 1)).map { #"{"valueString": "o\#($0)"}"# }.joined(separator: ", ")
            return try Tasks.row(
                "choice", "\"answerOption\": [\(options)], \"extension\": [\(Tasks.control("slider"))]\(more)"
            ).row?.format
        }
        for count in 2...8 { #expect(try format(count)?.className == "ORKTextScaleAnswerFormat") }
        for count in [1, 9, 30] { #expect(try format(count)?.className == "ORKTextChoiceAnswerFormat") }
        #expect(try format(4, ", \"repeats\": true")?.className == "ORKTextChoiceAnswerFormat")
    }

    @Test func aDropDownIsAPickerUnlessItHasSeveralAnswersOrOthers() throws {
        let options = "\"answerOption\": [{\"valueString\": \"a\"}], \"extension\": [\(Tasks.control("drop-down"))]"
        #expect(try Tasks.row("choice", options).row?.format?.className == "ORKValuePickerAnswerFormat")
        #expect(try Tasks.row("open-choice", options).row?.format?.className == "ORKTextChoiceAnswerFormat")
        #expect(
            try Tasks.row("choice", options + ", \"repeats\": true").row?.format?.className
                == "ORKTextChoiceAnswerFormat")
    }

    /// The original ends the task, or the app, for a choice without usable options.
    @Test func aChoiceWithoutOptionsHasATextField() throws {
        #expect(try Tasks.row("choice").row?.format?.className == "ORKTextAnswerFormat")
        #expect(
            try Tasks.row("choice", #""answerValueSet": "http://example.org/none""#).row?.format?.className
                == "ORKTextAnswerFormat")
    }

    /// The original drops such options.
    @Test func optionsOfAnyTypeAndIncompleteCodingsAreChoices() throws {
        let options = """
            "answerOption": [{"valueString": "text"}, {"valueInteger": 3}, {"valueDate": "2020-01"}, {"valueTime": "08:00:00"},
             {"valueReference": {"reference": "Patient/1"}}, {"valueCoding": {"code": "c"}},
             {"valueCoding": {"display": "only"}}, {"valueCoding": {"system": "s"}}]
            """
        guard case .textChoice(let choices, _) = try Tasks.row("choice", options).row?.format else {
            Issue.record("no choices")
            return
        }
        #expect(choices.prefix(6).map(\.text) == ["text", "3", "2020-01", "08:00:00", "Patient/1", "c"])
        #expect(choices.count == 8 && choices.allSatisfy { !$0.text.isEmpty })
    }

    /// The original reads the concepts of the first include only.
    @Test func theWholeContainedValueSetIsOffered() throws {
        let contained = """
            "contained": [{"resourceType": "ValueSet", "id": "v", "compose": {"include": [
              {"system": "s", "concept": [{"code": "a", "display": "A"}]},
              {"system": "t", "concept": [{"code": "b"}]}]}}]
            """
        let task = try Tasks.task(##"{"linkId": "q", "type": "choice", "answerValueSet": "#v"}"##, contained)
        guard case .textChoice(let choices, _) = task.steps[0].questions[0].format else {
            Issue.record("no choices")
            return
        }
        #expect(choices.map(\.text) == ["A", "b"])
    }

    /// The original has a field for other answers with options of the form only.
    @Test func anOpenChoiceOfAValueSetHasAFieldForOtherAnswers() throws {
        let contained = """
            "contained": [{"resourceType": "ValueSet", "id": "v", "expansion": {"contains": [
              {"system": "s", "code": "a", "display": "A"}]}}]
            """
        let task = try Tasks.task(##"{"linkId": "q", "type": "open-choice", "answerValueSet": "#v"}"##, contained)
        guard case .textChoice(let choices, _) = task.steps[0].questions[0].format else {
            Issue.record("no choices")
            return
        }
        #expect(choices.map(\.text) == ["A", "Other"] && choices.map(\.isOther) == [false, true])
    }

    @Test func aPatternHasAMessageAndIsAnchored() throws {
        func format(_ extensions: String) throws -> SurveyTextFormat? {
            guard case .text(let format) = try Tasks.row("string", "\"extension\": [\(extensions)]").row?.format else {
                return nil
            }
            return format
        }
        let regex = #"{"url": "\#(Tasks.core)regex", "valueString": "[0-9]{4}"}"#
        let plain = try #require(try format(regex))
        #expect(plain.message == "The answer does not have the required form." && plain.pattern == #"\A(?:[0-9]{4})\z"#)
        let message = #"{"url": "\#(Tasks.bdh)validationtext", "valueString": "no"}"#
        #expect(try format(message)?.message == nil, "a message without a pattern raises")
        #expect(try format(#"{"url": "\#(Tasks.core)regex", "valueString": "["}"#)?.pattern == nil)
        let least = #"{"url": "\#(Tasks.core)minLength", "valueInteger": 3}"#
        let both = try #require(try format(regex + ", " + least))
        #expect(both.pattern != nil && both.message != nil)
        let short = try #require(try format(least))
        let expression = try NSRegularExpression(pattern: try #require(short.pattern))
        #expect(expression.firstMatch(in: "ab", range: NSRange(location: 0, length: 2)) == nil)
        #expect(expression.firstMatch(in: "abc", range: NSRange(location: 0, length: 3)) != nil)
    }
}
