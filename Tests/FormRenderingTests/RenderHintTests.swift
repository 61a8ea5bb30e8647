import FHIR
import Foundation
import QuestionnairesTestSupport
import Testing

@testable import FormRendering
@testable import Questionnaires

/// The controls, limits, options and hints of questions in plans.
@Suite struct RenderHintTests {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let bdh = "http://bdh.stanford.edu/fhir/StructureDefinition/"

    private static func control(_ code: String) -> String {
        "{\"url\": \"\(core)questionnaire-itemControl\", \"valueCodeableConcept\": {\"coding\": [{\"code\": \"\(code)\"}]}}"
    }

    /// Returns the question of a form with one item.
    private func question(
        _ type: String, extensions: [String] = [], _ more: String = ""
    ) throws -> RenderPlan.Question {
        let item = """
            {"linkId": "q", "type": "\(type)", "text": "Q"\(more.isEmpty ? "" : ", " + more),
             "extension": [\(extensions.joined(separator: ", "))]}
            """
        return try #require(RenderPlan(FormSession(try form(item))).pages.first?.questions.first)
    }

    private static let options = """
        "answerOption": [{"valueCoding": {"system": "s", "code": "a", "display": "A"}}, {"valueString": "b"}]
        """

    @Test(arguments: [
        ("boolean", "yes-no"), ("decimal", "number"), ("integer", "number"), ("date", "date"),
        ("dateTime", "date-time"), ("time", "time"), ("string", "line"), ("text", "area"), ("url", "address"),
        ("choice", "code"), ("open-choice", "code"), ("attachment", "file"), ("reference", "reference"),
        ("quantity", "quantity"), ("question", "line"),
    ])
    func questionsHaveThePlainControlOfTheirType(type: String, control: String) throws {
        #expect(try question(type).control.rawValue == control)
        #expect(try question(type, extensions: [Self.control("no-such-control")]).control.rawValue == control)
        #expect(try question(type, extensions: [Self.control("gtable")]).control.rawValue == control)
    }

    @Test(arguments: ["check-box", "radio-button", "drop-down", "autocomplete", "lookup", "slider", "spinner"])
    func optionsHaveTheControlOfTheForm(code: String) throws {
        #expect(try question("choice", extensions: [Self.control(code)], Self.options).control.rawValue == code)
        #expect(try question("choice", Self.options).control == .options)
    }

    @Test func aControlThatDoesNotFitTheTypeGivesThePlainControl() throws {
        #expect(try question("integer", extensions: [Self.control("slider")]).control == .slider)
        #expect(try question("integer", extensions: [Self.control("spinner")]).control == .spinner)
        #expect(try question("string", extensions: [Self.control("text-box")]).control == .textBox)
        #expect(try question("string", extensions: [Self.control("slider")]).control == .line)
        #expect(try question("date", extensions: [Self.control("drop-down")]).control == .date)
        #expect(try question("choice", extensions: [Self.control("text-box")], Self.options).control == .options)
        let both = try question("integer", extensions: [Self.control("unheard-of"), Self.control("slider")])
        #expect(both.control == .slider && both.hints.controls == ["unheard-of", "slider"])
    }

    @Test(arguments: ["list", "page", "table", "htable", "gtable", "atable", "header", "footer"])
    func groupsHaveTheControlOfTheForm(code: String) throws {
        let item = """
            {"linkId": "g", "type": "group", "extension": [\(Self.control(code))],
             "item": [{"linkId": "q", "type": "string"}]}
            """
        #expect(RenderPlan(FormSession(try form(item))).pages.first?.group?.control.rawValue == code)
    }

    @Test func hintsOfAnItemAreRead() throws {
        let question = try question(
            "integer",
            extensions: [
                "{\"url\": \"\(Self.core)questionnaire-sliderStepValue\", \"valueInteger\": 5}",
                "{\"url\": \"\(Self.core)questionnaire-choiceOrientation\", \"valueCode\": \"horizontal\"}",
                "{\"url\": \"\(Self.core)entryFormat\", \"valueString\": \"0-100\"}",
                "{\"url\": \"\(Self.core)questionnaire-supportLink\", \"valueUri\": \"https://example.org/1\"}",
                "{\"url\": \"\(Self.core)questionnaire-supportLink\", \"valueUri\": \"https://example.org/2\"}",
                "{\"url\": \"\(Self.sdc)columnCount\", \"valuePositiveInt\": 3}",
                "{\"url\": \"\(Self.sdc)width\", \"valueQuantity\": {\"value\": 50, \"code\": \"%\"}}",
                "{\"url\": \"\(Self.sdc)shortText\", \"valueString\": \"short\"}",
                "{\"url\": \"\(Self.sdc)collapsible\", \"valueCode\": \"default-closed\"}",
                "{\"url\": \"\(Self.sdc)itemMedia\", \"valueAttachment\": {\"url\": \"https://example.org/p.png\"}}",
                "{\"url\": \"\(Self.sdc)keyboard\", \"valueCoding\": {\"code\": \"phone\"}}",
                "{\"url\": \"\(Self.bdh)ios-textcontenttype\", \"valueString\": \"telephoneNumber\"}",
                "{\"url\": \"\(Self.bdh)ios-autocapitalizationType\", \"valueString\": \"words\"}",
            ])
        let hints = question.hints
        #expect(hints.sliderStep?.text == "5" && hints.orientation == .horizontal)
        #expect(question.limits.entryFormat == "0-100" && hints.supportLinks.count == 2)
        #expect(hints.columnCount == 3 && hints.width?.value?.text == "50" && hints.shortText == "short")
        #expect(hints.collapse == .closed && hints.media?.url == "https://example.org/p.png")
        #expect(
            hints.keyboard == "phone" && hints.textContentType == "telephoneNumber" && hints.capitalization == "words")
        let ios = try self.question(
            "string", extensions: ["{\"url\": \"\(Self.bdh)ios-keyboardtype\", \"valueString\": \"emailAddress\"}"])
        #expect(ios.hints.keyboard == "emailAddress")
    }

    @Test func hintsWithValuesOfTheWrongTypeAreIgnored() throws {
        let question = try question(
            "integer",
            extensions: [
                "{\"url\": \"\(Self.core)questionnaire-sliderStepValue\", \"valueString\": \"five\"}",
                "{\"url\": \"\(Self.core)questionnaire-choiceOrientation\", \"valueCode\": \"diagonal\"}",
                "{\"url\": \"\(Self.core)questionnaire-itemControl\", \"valueString\": \"slider\"}", "{}", "7",
            ])
        #expect(question.hints == RenderHints() && question.control == .number)
    }

    @Test func displayItemsHaveTheirCategory() throws {
        let item = """
            {"linkId": "d", "type": "display", "text": "Careful", "extension": [
              {"url": "\(Self.core)questionnaire-displayCategory",
               "valueCodeableConcept": {"coding": [{"code": "security"}]}}]}
            """
        guard case .text(let display) = RenderPlan(FormSession(try form(item))).pages.first?.elements.first else {
            Issue.record("no text")
            return
        }
        #expect(display.hints.category == "security" && display.text.plain == "Careful")
    }

    @Test func textsHaveTheirRenderings() throws {
        let question = try question(
            "string",
            """
            "_text": {"extension": [
              {"url": "\(Self.core)rendering-style", "valueString": "color: red"},
              {"url": "\(Self.core)rendering-markdown", "valueMarkdown": "**Q**"},
              {"url": "\(Self.core)rendering-xhtml", "valueString": "<b>Q</b>"}]},
            "prefix": "1.", "_prefix": {"extension": [{"url": "\(Self.core)rendering-style", "valueString": "bold"}]}
            """)
        #expect(question.text?.plain == "Q" && question.text?.style == "color: red")
        #expect(question.text?.markdown == "**Q**" && question.text?.xhtml == "<b>Q</b>")
        #expect(question.prefix?.plain == "1." && question.prefix?.style == "bold")
    }

    @Test func optionsHaveTheirPrefixMediaAndExclusivity() throws {
        let question = try question(
            "choice",
            """
            "repeats": true, "answerOption": [
              {"valueCoding": {"code": "a", "display": "A", "_display": {"extension": [
                {"url": "\(Self.core)rendering-markdown", "valueMarkdown": "*A*"}]}}, "initialSelected": true,
               "extension": [
                {"url": "\(Self.core)questionnaire-optionPrefix", "valueString": "a)"},
                {"url": "\(Self.sdc)itemAnswerMedia", "valueAttachment": {"url": "https://example.org/a.png"}}]},
              {"valueCoding": {"code": "n", "display": "None"}, "extension": [
                {"url": "\(Self.core)questionnaire-optionExclusive", "valueBoolean": true}]}]
            """)
        #expect(question.options.map(\.prefix) == ["a)", nil] && question.options.map(\.isExclusive) == [false, true])
        #expect(question.options[0].media?.url == "https://example.org/a.png")
        #expect(question.options[0].text.markdown == "*A*" && question.options[0].text.plain == "A")
        #expect(question.options.map(\.isSelected) == [true, false])
    }

    @Test func limitsAreThoseOfTheSession() throws {
        let item = """
            {"linkId": "q", "type": "date", "extension": [
              {"url": "http://ehelse.no/fhir/StructureDefinition/sdf-minvalue", "valueString": "today()"},
              {"url": "\(Self.core)maxValue", "valueDate": "2030-01-31"}]}
            """
        var session = FormSession(try form(item))
        session.clock = { "2026-05-06T12:00:00+02:00" }
        let limits = try #require(RenderPlan(session).pages.first?.questions.first).limits
        #expect(limits.minimum?.json.string == "2026-05-06" && limits.maximum?.json.string == "2030-01-31")
    }

    @Test func patternsAreAnchored() throws {
        let question = try question(
            "string",
            extensions: [
                "{\"url\": \"\(Self.core)regex\", \"valueString\": \"[0-9]{4}|x\"}",
                "{\"url\": \"\(Self.core)minLength\", \"valueInteger\": 2}",
                "{\"url\": \"\(Self.bdh)validationtext\", \"valueString\": \"Four digits\"}",
            ], "\"maxLength\": 9")
        let pattern = try #require(question.limits.pattern)
        let expression = try NSRegularExpression(pattern: pattern)
        func matches(_ text: String) -> Bool {
            expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text)) > 0
        }
        #expect(matches("1234") && matches("x") && !matches("x1234") && !matches("12345"))
        #expect(question.limits.validationText == "Four digits")
        #expect(question.limits.minLength == 2 && question.limits.maxLength == 9)
        let flagged = try self.question(
            "string", extensions: ["{\"url\": \"\(Self.core)regex\", \"valueString\": \"/ab/i\"}"])
        let ignoring = try NSRegularExpression(pattern: try #require(flagged.limits.pattern))
        #expect(ignoring.numberOfMatches(in: "AB", range: NSRange(location: 0, length: 2)) == 1)
        #expect(ignoring.numberOfMatches(in: "ABC", range: NSRange(location: 0, length: 3)) == 0)
    }

    @Test func aLimitIsANumberInTheUnitOfTheQuestion() throws {
        let question = try question(
            "quantity",
            extensions: [
                "{\"url\": \"\(Self.core)questionnaire-unit\", \"valueCoding\": {\"system\": \"http://unitsofmeasure.org\", \"code\": \"g\"}}",
                "{\"url\": \"\(Self.sdc)maxQuantity\", \"valueQuantity\": {\"value\": 2, \"system\": \"http://unitsofmeasure.org\", \"code\": \"kg\"}}",
                "{\"url\": \"\(Self.core)minValue\", \"valueDecimal\": 0.5}",
            ])
        #expect(question.limits.maximum.flatMap(question.bound) == 2000)
        #expect(question.limits.minimum.flatMap(question.bound) == 0.5)
        #expect(question.bound(AnswerValue(type: "Quantity", json: ["value": 1, "code": "m"])) == nil)
    }

    @Test func questionsHaveTheirUnits() throws {
        let unit = "questionnaire-unitOption"
        let question = try question(
            "quantity",
            extensions: [
                "{\"url\": \"\(Self.core)\(unit)\", \"valueCoding\": {\"code\": \"kg\"}}",
                "{\"url\": \"\(Self.core)\(unit)\", \"valueCoding\": {\"code\": \"g\"}}",
            ])
        #expect(question.units.compactMap(\.code) == ["kg", "g"])
        #expect(try self.question("quantity").units.isEmpty)
    }
}
