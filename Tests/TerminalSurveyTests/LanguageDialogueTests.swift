import FHIR
import Questionnaires
import QuestionnairesTestSupport
import TerminalSurvey
import Testing

@Suite struct LanguageDialogueTests {
    private static func translated(_ name: String, _ text: String) -> String {
        #""_\#(name)": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "\#(text)"}]}]}"#
    }

    private static let items = """
        {"linkId": "a", "text": "Pain?", \(translated("text", "Schmerzen?")), "type": "boolean", "required": true}, \
        {"linkId": "b", "text": "Where?", \(translated("text", "Wo?")), "type": "choice", "answerOption": [ \
        {"valueCoding": {"system": "s", "code": "h", "display": "Head", \(translated("display", "Kopf"))}}]}
        """

    @Test func aFormIsAskedInALanguageAndAnsweredWithItsCodings() throws {
        let source = try form(Self.items, #""language": "en""#).questionnaire
        let german = QuestionnaireForm(source, language: "de-CH")
        var dialogue = SurveyDialogue(german, language: "de-CH")
        let hint = "  (die Nummer einer Antwort, oder j oder n; back, pause)"
        #expect(dialogue.prompt == ["[1/2] Schmerzen? *", "  1) ja", "  2) nein", hint])
        #expect(dialogue.take("").lines == ["Diese Frage muss beantwortet werden."])
        #expect(dialogue.take("vielleicht").lines.first?.hasPrefix("Das ist keine Antwort auf diese Frage.") == true)
        #expect(dialogue.take("ja").lines.isEmpty)
        #expect(dialogue.prompt.prefix(2) == ["[2/2] Wo?", "  1) Kopf"])
        #expect(dialogue.take("Kopf").lines.isEmpty && dialogue.isFinished)
        let response = dialogue.session.response()
        #expect(response.language == "de" && response.item.map(\.text) == ["Schmerzen?", "Wo?"])
        #expect(response.item[1].answer.first?["valueCoding"]?["display"] == "Head")
        #expect(ResponseValidator(QuestionnaireForm(source)).problems(in: response).isEmpty)
    }

    @Test func aUnitIsNamedInTheLanguage() throws {
        let item = """
            {"linkId": "q", "type": "quantity", "extension": [
             {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption", "valueCoding": {
              "system": "http://unitsofmeasure.org", "code": "h", "display": "hours", \(Self.translated("display", "Stunden"))}}]}
            """
        let form = QuestionnaireForm(try form(item, #""language": "en""#).questionnaire, language: "de")
        var dialogue = SurveyDialogue(form, language: "de")
        #expect(dialogue.prompt.last?.contains("Stunden") == true, "\(dialogue.prompt)")
        #expect(dialogue.take("8 Stunden").lines.isEmpty)
        let answer = dialogue.session.response().item.first?.answer.first?["valueQuantity"]
        #expect(answer?["unit"] == "hours" && answer?["code"] == "h")
    }

    @Test func ourWordsAreEnglishInAnUnknownLanguage() throws {
        let dialogue = SurveyDialogue(try form(Self.items, #""language": "en""#), language: "it")
        #expect(dialogue.prompt.last == "  (the number of an answer, or y or n; back, pause)")
    }

    @Test func everyLanguageHasEverySentence() {
        let table = TerminalSentences.table
        for template in table.templates where template.contains(" ") {
            let sentence = Sentence(template: template, parameters: ["1", "2", "3"])
            for language in ["de", "es", "fr"] {
                #expect(sentence.text(in: language, from: table) != sentence.text, "\(language): \(template)")
            }
        }
    }
}
