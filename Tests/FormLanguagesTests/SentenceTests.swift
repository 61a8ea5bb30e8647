import FHIR
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

@Suite struct SentenceTests {
    @Test func aLiteralWithValuesIsATemplate() {
        let name = "{1}"
        let sentence: Sentence = "The group \(name) has \(3) repetitions"
        #expect(sentence.template == "The group {1} has {2} repetitions" && sentence.parameters == ["{1}", "3"])
        #expect(sentence.text == "The group {1} has 3 repetitions")
        #expect(Sentence(template: "{2} {1} {3} {} {", parameters: ["a", "b"]).text == "b a {3} {} {")
    }

    @Test func sentencesAreTranslated() {
        let sentence: Sentence = "The answer is longer than \(8) characters."
        #expect(sentence.text(in: "de") == "Die Antwort ist länger als 8 Zeichen.")
        #expect(sentence.text(in: "es-MX") == "La respuesta tiene más de 8 caracteres.")
        #expect(sentence.text(in: "fr") == "La réponse dépasse 8 caractères.")
        for language in ["en", "en-US", "it", "", "a b", nil] { #expect(sentence.text(in: language) == sentence.text) }
        #expect(Sentence("Unknown.").text(in: "de") == "Unknown.")
    }

    @Test func everyLanguageHasEverySentenceWithItsParameters() {
        let table = SentenceTable.standard
        #expect(table.languages == ["de", "en", "es", "fr"] && table.templates.count > 60)
        for template in table.templates {
            let parameters = ["111", "222", "333"]
            let count = parameters.indices.count { template.contains("{\($0 + 1)}") }
            let sentence = Sentence(template: template, parameters: Array(parameters.prefix(count)))
            for language in ["de", "es", "fr"] {
                let text = sentence.text(in: language)
                #expect(text != sentence.text || template == "no", "\(language): \(template)")
                for parameter in sentence.parameters { #expect(text.contains(parameter), "\(language): \(template)") }
                #expect(!text.contains("{"), "\(language): \(template)")
            }
        }
    }

    @Test func aParameterThatIsASentenceIsTranslatedToo() {
        let reason: Sentence = "The variable %\("x") fails: \("The value set is not available." as Sentence)"
        let whole: Sentence = "An expression of the form fails: \(reason)"
        #expect(
            whole.text == "An expression of the form fails: The variable %x fails: The value set is not available.")
        #expect(
            whole.text(in: "de-CH")
                == "Ein Ausdruck des Formulars schlägt fehl: Die Variable %x schlägt fehl: Die Wertemenge ist nicht verfügbar."
        )
        let outer: Sentence = "Item: \(reason)"
        #expect(outer.text(in: "fr").hasPrefix("Item: La variable %x échoue : L'ensemble"))
        #expect(outer.text(in: "it") == outer.text)
    }

    @Test func aFileAddsALanguage() throws {
        var table = SentenceTable.standard
        try table.add([
            "language": "it",
            "sentences": ["The maximum is {1}.": "Il massimo è {1}.", "yes": "sì"],
        ])
        let sentence: Sentence = "The maximum is \(3)."
        #expect(sentence.text(in: "it-CH", from: table) == "Il massimo è 3." && table.contains("it"))
        #expect(AnswerValue.boolean(true).text(in: "it", from: table) == "sì")
        #expect(sentence.text(in: "it") == "The maximum is 3.")
    }

    @Test func aDamagedFileIsRefused() {
        let files: [(JSON, SentenceTableError.Reason)] = [
            ([], .language), (["language": "a b"], .language), (["language": "it"], .sentences),
            (["language": "it", "sentences": []], .sentences), (["language": "it", "sentences": ["yes": 1]], .text),
            (["language": "it", "sentences": ["yes": ""]], .text),
            (["language": "it", "sentences": ["The maximum is {1}.": "Il massimo"]], .parameters),
            (["language": "it", "sentences": ["yes": "{1}"]], .parameters),
        ]
        for (file, reason) in files {
            var table = SentenceTable.standard
            do {
                try table.add(file)
                Issue.record("accepted: \(file)")
            } catch {
                #expect(error.reason == reason && error.code == "sentences-invalid" && !error.message.isEmpty)
                #expect(table.languages == SentenceTable.standard.languages)
            }
        }
    }
}

/// The sentences of problems.
@Suite struct ProblemSentenceTests {
    @Test func aProblemHasACodeAndParametersAndItsSentenceIsTranslated() throws {
        let form = try form(
            #"{"linkId": "q", "type": "string", "maxLength": 3}, {"linkId": "r", "type": "boolean", "required": true}"#)
        let problems = ResponseValidator(form).problems(
            in: try response(#"{"linkId": "q", "answer": [{"valueString": "long"}]}"#))
        #expect(problems.map(\.code) == ["max-length", "required"])
        #expect(problems[0].sentence.parameters == ["3"])
        #expect(problems[0].message == "The answer is longer than 3 characters.")
        #expect(problems[0].message(in: "de-AT") == "Die Antwort ist länger als 3 Zeichen.")
        #expect(problems[1].message(in: "fr") == "La question nécessite une réponse.")
        var session = FormSession(form)
        session["q"] = .text("abcd")
        let error = #expect(throws: IncompleteResponse.self) {
            try session.completedResponse(subject: nil, authored: nil)
        }
        #expect(
            error?.message
                == "The answers do not make a valid response (2 errors): q: The answer is longer than 3 characters.")
        #expect(
            error?.message(in: "es")
                == "Las respuestas no forman un conjunto válido (2 errores): q: La respuesta tiene más de 3 caracteres."
        )
    }

    @Test func theReasonOfAnExpressionWithoutAValueIsTranslated() throws {
        let rule = """
            {"linkId": "q", "type": "string", "initial": [{"valueString": "x"}], "extension": [
             {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [
              {"url": "key", "valueId": "c-1"}, {"url": "severity", "valueCode": "error"},
              {"url": "expression", "valueString": "EXPRESSION"}]}]}
            """
        for (expression, text) in [
            ("false", "Las respuestas incumplen la regla c-1 del formulario."),
            ("%missing.exists()", "Una expresión del formulario falla: "),
            ("%patient.exists()", "Una expresión del formulario no se evalúa: "),
        ] {
            let session = FormSession(try form(rule.replacing("EXPRESSION", with: expression)))
            let problem = try #require(session.problems().first)
            #expect(problem.message(in: "es").hasPrefix(text), "\(problem)")
            #expect(SentenceTable.standard.templates.contains(problem.sentence.template))
        }
    }

    @Test func theFormsOwnMessageIsInItsLanguage() throws {
        let translation =
            #""_valueString": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Nur Ziffern."}]}]}"#
        let items =
            #"{"linkId": "q", "type": "string", "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "[0-9]*"}, {"url": "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext", "valueString": "Digits only.", \#(translation)}]}"#
        let questionnaire = try form(items, #""language": "en""#).questionnaire
        for (language, text) in [("de", "Nur Ziffern."), ("fr", "Digits only.")] {
            let form = QuestionnaireForm(questionnaire, language: language)
            let problems = ResponseValidator(form).problems(
                in: try response(#"{"linkId": "q", "answer": [{"valueString": "x"}]}"#))
            #expect(problems.map { $0.message(in: language) } == [text])
        }
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyProblemOfPublishedResponsesHasATranslation() throws {
        let folder = try #require(Published.folder).appendingPathComponent("response-validation")
        let templates = Set(SentenceTable.standard.templates)
        var checked = 0
        for file in PublishedData.files(below: folder) where file.lastPathComponent.hasSuffix("-qr.json") {
            let name = "response-validation/" + file.lastPathComponent
            guard let form = try? Published.form(name.replacing("-qr.json", with: "-q.json")),
                let response = try Published.resource(name).as(QuestionnaireResponse.self)
            else { continue }
            for problem in ResponseValidator(form).problems(in: response) {
                #expect(templates.contains(problem.sentence.template), "\(problem)")
                checked += 1
            }
        }
        #expect(checked > 20)
    }
}
