import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct LanguageTests {
    /// Returns the sibling of a text with translations, by language.
    private static func translated(_ name: String, _ texts: [(String, String)]) -> String {
        let extensions = texts.map {
            #"{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "\#($0.0)"}, {"url": "content", "valueString": "\#($0.1)"}]}"#
        }
        return #""_\#(name)": {"extension": [\#(extensions.joined(separator: ", "))]}"#
    }

    private static let items = """
        {"linkId": "q", "prefix": "A", \(translated("prefix", [("de", "B")])), "text": "Colour?", \
        \(translated("text", [("de", "Farbe?"), ("de-CH", "Farb?"), ("fr", "Couleur ?")])), "type": "open-choice", \
        "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/entryFormat", "valueString": "a word", \
        \(translated("valueString", [("de", "ein Wort")]))}], \
        "answerOption": [{"valueCoding": {"system": "s", "code": "r", "display": "Red", \
        \(translated("display", [("de", "Rot")]))}}, {"valueString": "Other", \
        \(translated("valueString", [("de", "Andere")]))}]}, \
        {"linkId": "n", "text": "Number?", "type": "integer"}
        """

    private func form(in language: String?, items: String = LanguageTests.items, own: String = "en") throws
        -> QuestionnaireForm
    {
        let form = try form(
            items, #""language": "\#(own)", "title": "Form", \#(Self.translated("title", [("de", "Formular")]))"#)
        return QuestionnaireForm(form.questionnaire, language: language)
    }

    private func form(_ items: String, _ more: String) throws -> QuestionnaireForm {
        try QuestionnairesTestSupport.form(items, more)
    }

    @Test(arguments: [
        ("de", "Farbe?", "de"), ("de-CH", "Farb?", "de-CH"), ("DE_ch", "Farb?", "de-CH"),
        ("de-CH-1996", "Farb?", "de-CH"),
        ("de-AT", "Farbe?", "de"), ("fr-CA", "Couleur ?", "fr"), ("en", "Colour?", "en"), ("en-GB", "Colour?", "en"),
        ("it", "Colour?", "en"), ("", "Colour?", "en"), ("not a tag", "Colour?", "en"),
    ])
    func aTextIsLookedUpFromTheParticularToTheGeneral(_ asked: String, text: String, language: String) throws {
        let form = try form(in: asked)
        #expect(form.item("q")?.text == text)
        #expect(form.language == language)
        #expect(form.item("n")?.text == "Number?")
    }

    @Test func allTextsOfAFormAreTranslatedAndCodingsAreNot() throws {
        let form = try form(in: "de")
        let item = try #require(form.item("q"))
        #expect(form.questionnaire.title == "Formular" && item.prefix == "B" && item.limits.entryFormat == "ein Wort")
        #expect(item.options?.map(\.label) == ["Rot", "Andere"])
        #expect(item.options?.map(\.value.text) == ["Red", "Other"])
        #expect(item.label(of: .code("r", "s")) == "Rot" && item.label(of: .text("own")) == "own")
        #expect(form.canonical == "https://example.org/form|1")
    }

    @Test func theResponseHasItsLanguageAndTheCodingsOfTheForm() throws {
        let form = try form(in: "de-CH")
        var session = FormSession(form)
        session["q"] = try #require(form.item("q")?.options?.first?.value)
        let response = session.response()
        #expect(response.language == "de-CH" && response.item.first?.text == "Farb?")
        #expect(response.item.first?.answer.first?["valueCoding"]?["display"] == "Red")
        // The form without a language, and the form in any language, accept the response.
        for language in [nil, "de", "fr", "it"] {
            let validator = ResponseValidator(try self.form(in: language))
            #expect(validator.problems(in: response).isEmpty, "\(language ?? "none")")
        }
    }

    @Test func theValidatorAcceptsEachTranslationAndNoOtherText() throws {
        let validator = ResponseValidator(try form(in: nil))
        for (text, isKnown) in [("Colour?", true), ("Farbe?", true), ("Couleur ?", true), ("Color?", false)] {
            let answer = try response(#"{"linkId": "q", "text": "\#(text)", "answer": [{"valueString": "x"}]}"#)
            #expect(validator.problems(in: answer).contains { $0.code == "item-text" } == !isKnown, "\(text)")
        }
    }

    @Test func theEarlierTextBecomesATranslation() throws {
        let german = try form(in: "de").questionnaire
        #expect(german.item[0].text == "Farbe?")
        let english = QuestionnaireForm(german, language: "en")
        #expect(english.item("q")?.text == "Colour?" && english.language == "en")
    }

    @Test func markdownFollowsTheText() throws {
        let markdown =
            #"{"url": "http://hl7.org/fhir/StructureDefinition/rendering-markdown", "valueMarkdown": "**Hi**""#
        func item(_ more: String) -> String {
            """
            {"linkId": "q", "type": "display", "text": "Hi", "_text": {"extension": [\(markdown)\(more)}, \
            {"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": \
            "de"}, {"url": "content", "valueString": "Hallo"}]}]}}
            """
        }
        func rendered(_ more: String) throws -> String? {
            let text = try form(in: "de", items: item(more)).questionnaire.item[0].textElement
            return text?.extension("http://hl7.org/fhir/StructureDefinition/rendering-markdown")?.value?.json.string
        }
        #expect(try rendered("") == nil)
        #expect(try rendered(", " + Self.translated("valueMarkdown", [("de", "**Hallo**")])) == "**Hallo**")
    }

    @Test func designationsOfValueSetsAndCodeSystemsAreLabels() throws {
        let contained = """
            "contained": [{"resourceType": "ValueSet", "id": "v", "compose": {"include": [{"system": "s", "concept": [ \
            {"code": "a", "display": "Alpha", "designation": [{"language": "de", "value": "Alfa"}, \
            {"language": "de-AT", "value": "Alfa AT"}]}, {"code": "b", "display": "Beta"}]}]}}, \
            {"resourceType": "ValueSet", "id": "x", "expansion": {"contains": [{"system": "s", "code": "c", \
            "display": "Gamma", "designation": [{"language": "de", "use": {"code": "900000000000003001"}, \
            "value": "Gamma (Buchstabe)"}, {"language": "de", "value": "Gamma-Strahl"}]}]}}, \
            {"resourceType": "CodeSystem", "url": "s", "content": "fragment", "concept": [{"code": "b", \
            "designation": [{"language": "de", "value": "Betha"}]}]}]
            """
        let items = ["v", "x"].map { ##"{"linkId": "\##($0)", "type": "choice", "answerValueSet": "#\##($0)"}"## }
        let questionnaire = try form(items.joined(separator: ", "), contained).questionnaire
        #expect(questionnaire.languages.map(\.text) == ["de", "de-AT"])
        let german = QuestionnaireForm(questionnaire, language: "de-CH")
        #expect(german.item("v")?.options?.map(\.label) == ["Alfa", "Betha"])
        #expect(german.item("x")?.options?.map(\.label) == ["Gamma-Strahl"])
        #expect(german.item("v")?.options?.map(\.value.text) == ["Alpha", "Beta"])
        let austrian = QuestionnaireForm(questionnaire, language: "de-AT")
        #expect(austrian.item("v")?.options?.map(\.label) == ["Alfa AT", "Betha"])
    }

    @Test func valueSetsThatIncludeEachOtherAreReadOnce() throws {
        func set(_ name: String, including other: String) throws -> ValueSet {
            let text = """
                {"resourceType": "ValueSet", "url": "\(name)", "compose": {"include": [{"valueSet": ["\(other)"]}, \
                {"system": "s", "concept": [{"code": "\(name)", "designation": [{"language": "de", "value": \
                "de-\(name)"}]}]}]}}
                """
            return ValueSet(try #require(try JSON(parsing: text).object))
        }
        let sets = [try set("a", including: "b"), try set("b", including: "a")]
        let questionnaire = try form(#"{"linkId": "q", "type": "choice", "answerValueSet": "a"}"#, "").questionnaire
        let form = QuestionnaireForm(
            questionnaire, language: "de", valueSet: { name in sets.first { $0.url == name } })
        let labels = try #require(form.item("q")?.options).map(\.label)
        #expect(labels.allSatisfy { $0.hasPrefix("de-") })
    }

    @Test func damagedTranslationsAreIgnored() throws {
        let url = #""url": "http://hl7.org/fhir/StructureDefinition/translation""#
        for broken in [
            "{\(url)}", #"{\#(url), "extension": [{"url": "lang", "valueCode": "de"}]}"#,
            #"{\#(url), "extension": [{"url": "lang", "valueCode": 1}, {"url": "content", "valueString": "x"}]}"#,
            #"{\#(url), "extension": [{"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": ""}]}"#,
            #"{\#(url), "extension": {"url": "lang"}}"#, "1", "null",
        ] {
            let item = #"{"linkId": "q", "text": "T", "_text": {"extension": [\#(broken)]}, "type": "string"}"#
            #expect(try form(in: "de", items: item).item("q")?.text == "T", "\(broken)")
        }
    }

    @Test func anAnswerIsEnteredByItsTextInTheLanguage() throws {
        let form = try form(in: "de", items: Self.items + #", {"linkId": "b", "type": "boolean"}"#)
        let (items, problems) = try answered(form, #"{"q": "Rot", "b": "ja"}"#)
        #expect(problems.isEmpty && value(items, "0.answer.0.valueCoding.code") == "r")
        #expect(value(items, "1.answer.0.valueBoolean") == true)
    }

    @Test func yesAndNoAreTranslated() {
        #expect(
            AnswerValue.boolean(true).text(in: "de-CH") == "ja" && AnswerValue.boolean(false).text(in: "es") == "no")
        #expect(AnswerValue.boolean(true).text(in: nil) == "yes" && AnswerValue.boolean(true).text(in: "it") == "yes")
    }
}
