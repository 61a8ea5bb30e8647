import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

@testable import FormAuthoring

/// The page with all questions of a form.
@Suite struct PreviewTests {
    private func preview(_ form: QuestionnaireForm) -> FormPreview {
        FormPreview(form, clock: { "2026-05-03T00:00:00Z" })
    }

    private func entries(_ items: String, _ more: String = "") throws -> [FormPreview.Entry] {
        preview(try form(items, more)).pages.flatMap { ($0.group.map { [$0] } ?? []) + $0.entries }
    }

    /// Returns the condition of the last of two items in words.
    private func condition(_ question: String, _ conditions: String, more: String = "") throws -> [String] {
        let item = #"{"linkId": "last", "type": "string", "enableWhen": [\#(conditions)]\#(more)}"#
        let text = try #require(entries("\(question), \(item)").last?.condition)
        return [text.lead] + text.parts
    }

    private static let number = #"{"linkId": "n", "text": "How many cups?", "type": "integer"}"#
    private static let choice = #"""
        {"linkId": "c", "text": "Which drink?", "type": "choice", "answerOption": [
        {"valueCoding": {"system": "urn:x", "code": "t", "display": "Tea"}}, {"valueString": "Water"}]}
        """#

    @Test(arguments: [
        (#""operator": "exists", "answerBoolean": true"#, "“How many cups?” has an answer"),
        (#""operator": "exists", "answerBoolean": false"#, "“How many cups?” has no answer"),
        (#""operator": "=", "answerInteger": 2"#, "the answer to “How many cups?” is “2”"),
        (#""operator": "!=", "answerInteger": 2"#, "the answer to “How many cups?” is not “2”"),
        (#""operator": ">", "answerInteger": 2"#, "the answer to “How many cups?” is greater than 2"),
        (#""operator": "<", "answerInteger": 2"#, "the answer to “How many cups?” is less than 2"),
        (#""operator": ">=", "answerInteger": 2"#, "the answer to “How many cups?” is 2 or more"),
        (#""operator": "<=", "answerInteger": 2"#, "the answer to “How many cups?” is 2 or less"),
        (#""operator": ">", "answerDate": "2026-01-01""#, "the answer to “How many cups?” is after 2026-01-01"),
        (#""operator": "<=", "answerTime": "08:00:00""#, "the answer to “How many cups?” is 08:00:00 or earlier"),
        (#""operator": "~", "answerInteger": 2"#, "a condition that cannot be read"),
        (#""operator": "=""#, "a condition that cannot be read"),
    ])
    func conditionIsASentence(members: String, sentence: String) throws {
        #expect(try condition(Self.number, #"{"question": "n", \#(members)}"#) == ["Shown if \(sentence)."])
    }

    @Test func conditionNamesTheOptionAndTheQuestion() throws {
        let coding = #"{"question": "c", "operator": "=", "answerCoding": {"system": "urn:x", "code": "t"}}"#
        #expect(try condition(Self.choice, coding) == ["Shown if the answer to “Which drink?” is “Tea”."])
        let unknown = #"{"question": "gone", "operator": "=", "answerBoolean": true}"#
        #expect(try condition(Self.choice, unknown) == ["Shown if the answer to “gone” is “yes”."])
    }

    @Test func severalConditionsAreAList() throws {
        let two =
            #"{"question": "n", "operator": ">", "answerInteger": 2}, {"question": "n", "operator": "<", "answerInteger": 9}"#
        let parts = [
            "the answer to “How many cups?” is greater than 2", "the answer to “How many cups?” is less than 9",
        ]
        #expect(
            try condition(Self.number, two, more: #", "enableBehavior": "all""#)
                == ["Shown if all of these are true:"] + parts)
        #expect(
            try condition(Self.number, two, more: #", "enableBehavior": "any""#)
                == ["Shown if one of these is true:"] + parts)
        let expression = #"""
            , "enableBehavior": "any", "extension": [{"url":
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
            "valueExpression": {"language": "text/fhirpath", "expression": "true"}}]
            """#
        #expect(
            try condition(Self.number, two, more: expression) == [
                "Shown if all of these are true:", "\(parts[0]) or \(parts[1])",
                "the expression of the form is true: true",
            ])
    }

    @Test func questionHasItsAnswersAndLimitsInWords() throws {
        let items = #"""
            {"linkId": "n", "prefix": "1.", "text": "Weight", "type": "decimal", "required": true, "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
            "valueCoding": {"code": "kg", "display": "kilograms"}},
            {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueDecimal": 20},
            {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueDecimal": 300}]},
            {"linkId": "c", "text": "Drinks", "type": "open-choice", "repeats": true, "answerOption": [
            {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 2}],
            "valueCoding": {"code": "t", "display": "Tea"}},
            {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive",
            "valueBoolean": true}], "valueString": "None"}]},
            {"linkId": "s", "type": "string", "maxLength": 10, "initial": [{"valueString": "x"}]}
            """#
        let found = try entries(items)
        #expect(found.map(\.text) == ["1. Weight", "Drinks", "s"])
        #expect(found.map(\.isRequired) == [true, false, false])
        #expect(
            found.map(\.answer) == ["A number in kilograms", "One or more of these answers", "A text of one line"])
        #expect(found[0].facts == ["From 20 to 300"])
        #expect(found[1].options.map(\.text) == ["Tea", "None", "Own words"])
        #expect(found[1].options.map(\.notes) == [["points: 2"], ["excludes all others"], []])
        #expect(found[2].facts == ["Maximum number of characters: 10", "At the start: x"])
    }

    @Test func disabledAndHiddenQuestionsAreThere() throws {
        let hidden = #"{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true}"#
        let score = #"""
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression",
            "valueExpression": {"language": "text/fhirpath", "expression": "1 + 1"}}
            """#
        let shown = preview(
            try form(
                #"""
                {"linkId": "g", "text": "Group", "type": "group", "repeats": true, "item": [
                {"linkId": "b", "type": "boolean"},
                {"linkId": "inner", "type": "group", "item": [{"linkId": "d", "type": "date", "enableWhen": [
                {"question": "b", "operator": "=", "answerBoolean": true}]}]}]},
                {"linkId": "score", "text": "Score", "type": "integer", "extension": [\#(hidden), \#(score)]}
                """#, #""title": "A form""#))
        #expect(shown.title == "A form" && shown.questionCount == 2)
        let page = try #require(shown.pages.first)
        #expect(page.group?.text == "Group" && page.group?.facts == ["Can be repeated"])
        #expect(page.entries.map(\.linkID) == ["b", "inner", "d"] && page.entries.map(\.level) == [0, 0, 1])
        #expect(shown.hidden.map(\.text) == ["Score"])
        #expect(shown.hidden.first?.facts == ["Calculated by the form: 1 + 1"])
    }

    @Test func pageLoadsNothingAndEscapesTheForm() throws {
        let attack = "<script>alert(1)</script>"
        let items = #"""
            {"linkId": "\#(attack)", "text": "\#(attack)", "prefix": "\#(attack)", "type": "choice",
            "answerOption": [{"valueString": "\#(attack)"}]}, {"linkId": "s", "type": "string", "enableWhen": [
            {"question": "\#(attack)", "operator": "=", "answerString": "\#(attack)"}]}
            """#
        let html = preview(try form(items, #""title": "\#(attack)", "description": "\#(attack)""#)).html
        #expect(!html.contains("<script") && html.contains("&lt;script&gt;"))
        #expect(html.contains("prefers-color-scheme: dark") && html.contains("default-src &#39;none&#39;"))
        #expect(!html.contains("http://") && !html.contains("https://") && !html.contains("src="))
        #expect(html.components(separatedBy: "<div").count == html.components(separatedBy: "</div>").count)
    }

    /// The page of a form has the language of its texts.
    @Test func wordsAreInTheLanguageOfTheForm() throws {
        let german = preview(try form(Self.number, #""language": "de-CH""#))
        #expect(german.html.contains("<html lang=\"de-CH\">") && german.html.contains("Eine ganze Zahl"))
        for template in PreviewSentences.table.templates {
            let count = (1...3).count { template.contains("{\($0)}") }
            let sentence = Sentence(template: template, parameters: (0..<count).map { "\($0)\($0)\($0)" })
            for language in ["de", "es", "fr"] {
                let text = sentence.text(in: language, from: PreviewSentences.table)
                #expect(text != sentence.text || template == "no", "\(language): \(template)")
                #expect(!text.contains("{"), "\(language): \(template)")
            }
        }
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func publishedFormsHaveAPage() throws {
        for name in try Published.forms() {
            let form = try Published.form(name)
            let shown = preview(form)
            let visible = form.all.filter { $0.isQuestion && !$0.isConcealed }.map(\.linkID)
            let listed = Set(shown.pages.flatMap(\.entries).filter { $0.kind == .question }.map(\.linkID))
            // A form may have a linkId several times, of which the first is addressable.
            #expect(listed.isSuperset(of: visible), "\(name): \(Set(visible).subtracting(listed))")
            #expect(shown.html.utf8.count > 1000, "\(name)")
        }
    }
}
