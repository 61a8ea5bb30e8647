import FHIR
import FormAuthoring
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct ReviewTests {
    /// Returns the codes of the problems with their linkIds: `code@linkId`.
    private func codes(_ form: QuestionnaireForm) -> [String] {
        FormReview.problems(of: form).map { "\($0.code)@\($0.linkID ?? "")" }.filter { !$0.hasPrefix("code-missing") }
    }

    private func codes(_ items: String, _ more: String = "") throws -> [String] { codes(try form(items, more)) }

    private static let boolean = #"{"linkId": "b", "type": "boolean"}"#
    private static let number =
        #"{"linkId": "n", "type": "integer", "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueInteger": 1}, {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 5}]}"#
    private static let choice =
        #"{"linkId": "c", "type": "choice", "answerOption": [{"valueCoding": {"system": "s", "code": "a"}}, {"valueCoding": {"system": "s", "code": "b"}}]}"#

    private static func when(_ conditions: String..., behavior: String = "all") -> String {
        #"{"linkId": "q", "type": "string", "enableBehavior": "\#(behavior)", "enableWhen": [\#(conditions.joined(separator: ", "))]}"#
    }

    private static func on(_ question: String, _ comparison: String, answer: String) -> String {
        #"{"question": "\#(question)", "operator": "\#(comparison)", \#(answer)}"#
    }

    /// Conditions of an item, each with the codes that they give.
    private static let conditions: [(item: String, codes: [String])] = [
        (when(on("b", "=", answer: #""answerBoolean": true"#)), []),
        (when(on("n", ">", answer: #""answerInteger": 4"#)), []),
        (when(on("n", ">", answer: #""answerInteger": 5"#)), ["condition-never-true", "item-unreachable"]),
        (when(on("n", ">=", answer: #""answerInteger": 5"#)), []),
        (when(on("n", "<", answer: #""answerInteger": 1"#)), ["condition-never-true", "item-unreachable"]),
        (when(on("n", "=", answer: #""answerInteger": 9"#)), ["condition-never-true", "item-unreachable"]),
        (when(on("n", "=", answer: #""answerDecimal": 2.5"#)), ["condition-never-true", "item-unreachable"]),
        (when(on("n", "!=", answer: #""answerInteger": 9"#)), ["condition-always-true"]),
        (when(on("n", "exists", answer: #""answerBoolean": true"#)), []),
        (when(on("c", "=", answer: #""answerCoding": {"system": "s", "code": "a"}"#)), []),
        (when(on("c", "=", answer: #""answerCoding": {"code": "a"}"#)), ["coding-without-system"]),
        (
            when(on("c", "=", answer: #""answerCoding": {"system": "s", "code": "z"}"#)),
            ["condition-never-true", "item-unreachable"]
        ),
        (when(on("c", "!=", answer: #""answerCoding": {"system": "s", "code": "z"}"#)), ["condition-always-true"]),
        (
            when(
                on("c", "=", answer: #""answerCoding": {"system": "s", "code": "a"}"#),
                on("c", "=", answer: #""answerCoding": {"system": "s", "code": "b"}"#)),
            ["condition-never-true", "item-unreachable"]
        ),
        (
            when(
                on("c", "=", answer: #""answerCoding": {"system": "s", "code": "a"}"#),
                on("c", "=", answer: #""answerCoding": {"system": "s", "code": "b"}"#),
                behavior: "any"), []
        ),
        (
            when(on("n", ">", answer: #""answerInteger": 3"#), on("n", "<", answer: #""answerInteger": 3"#)),
            ["condition-never-true", "item-unreachable"]
        ),
        (when(on("n", ">", answer: #""answerInteger": 2"#), on("n", "<", answer: #""answerInteger": 4"#)), []),
        (
            when(
                on("b", "exists", answer: #""answerBoolean": true"#),
                on("b", "exists", answer: #""answerBoolean": false"#),
                behavior: "any"),
            ["condition-always-true"]
        ),
        (
            when(
                on("b", "exists", answer: #""answerBoolean": false"#), on("b", "=", answer: #""answerBoolean": true"#)),
            ["condition-never-true", "item-unreachable"]
        ),
        (
            when(
                on("n", "=", answer: #""answerInteger": 9"#), on("b", "=", answer: #""answerBoolean": true"#),
                behavior: "any"),
            ["condition-never-true"]
        ),
    ]

    @Test(arguments: 0..<conditions.count) func conditionsWithoutEffectAreReported(_ index: Int) throws {
        let example = Self.conditions[index]
        let found = try codes([Self.boolean, Self.number, Self.choice, example.item].joined(separator: ", "))
        #expect(found == example.codes.map { "\($0)@q" }, "\(example.item)")
    }

    @Test func anotherValueCanBeTrueOfSeveralAnswers() throws {
        let repeated = Self.choice.replacing(#""type""#, with: #""repeats": true, "type""#)
        let item = Self.when(
            Self.on("c", "=", answer: #""answerCoding": {"system": "s", "code": "a"}"#),
            Self.on("c", "=", answer: #""answerCoding": {"system": "s", "code": "b"}"#))
        #expect(try codes("\(repeated), \(item)").isEmpty)
    }

    @Test func itemsBelowAnUnreachableItemAreCounted() throws {
        let form = try form(
            """
            \(Self.number), {"linkId": "g", "type": "group", "enableWhen": [{"question": "n", "operator": ">", \
            "answerInteger": 7}], "item": [{"linkId": "x", "type": "boolean"}, {"linkId": "y", "type": "string"}]}, \
            {"linkId": "z", "type": "string", "enableWhen": [{"question": "x", "operator": "=", "answerBoolean": true}]}
            """)
        let found = FormReview.problems(of: form).filter { $0.code == "item-unreachable" }
        #expect(found.map(\.linkID) == ["g", "z"])
        #expect(found.first?.message.contains("2 items") == true)
    }

    @Test func itemsThatEnableOnlyEachOtherAreUnreachable() throws {
        let found = try codes(
            """
            {"linkId": "a", "type": "boolean", "enableWhen": [{"question": "b", "operator": "=", "answerBoolean": true}]},
            {"linkId": "b", "type": "boolean", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]}
            """)
        #expect(found == ["item-unreachable@a", "item-unreachable@b"])
    }

    @Test func missingTranslationsAreReported() throws {
        func translated(_ name: String, _ text: String) -> String {
            #""_\#(name)": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "\#(text)"}]}]}"#
        }
        let found = try codes(
            """
            {"linkId": "a", "text": "One", \(translated("text", "Eins")), "type": "string"}, \
            {"linkId": "b", "text": "Two", "prefix": "2.", "type": "choice", "answerOption": [ \
            {"valueCoding": {"system": "s", "code": "x", "display": "Yes", \(translated("display", "Ja"))}}, \
            {"valueCoding": {"system": "s", "code": "y", "display": "No"}}, \
            {"valueCoding": {"system": "s", "code": "z", "display": "1"}}]}
            """, #""language": "en", "title": "Title""#)
        #expect(found == ["translation-missing@", "translation-missing@b", "translation-missing@b"])
        #expect(
            try codes(#"{"linkId": "a", "text": "One", \#(translated("text", "Eins")), "type": "string"}"#) == [
                "language-missing@"
            ])
    }

    @Test func missingAlternativeTextsAreReported() throws {
        func media(_ more: String) -> String {
            #""extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-itemMedia", "valueAttachment": {"contentType": "image/png"\#(more)}}]"#
        }
        #expect(try codes(#"{"linkId": "a", "type": "string", \#(media(""))}"#) == ["alt-text-missing@a"])
        #expect(try codes(#"{"linkId": "a", "type": "string", \#(media(#", "title": "A map""#))}"#).isEmpty)
        let markdown =
            #"{"linkId": "a", "type": "display", "text": "x", "_text": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/rendering-markdown", "valueMarkdown": "![](a.png) ![b](b.png)"}]}}"#
        #expect(try codes(markdown) == ["alt-text-missing@a"])
    }

    @Test func missingCodesAreReported() throws {
        let coded =
            #"{"linkId": "a", "type": "string", "code": [{"system": "s", "code": "a"}]}, {"linkId": "b", "type": "string"}"#
        #expect(FormReview.problems(of: try form(coded)).map(\.linkID) == ["b"])
        #expect(FormReview.problems(of: try form(Self.boolean)).map { $0.linkID ?? "form" } == ["form"])
        #expect(
            try codes(
                #"{"linkId": "a", "type": "choice", "answerOption": [{"valueString": "x"}, {"valueCoding": {"code": "c"}}]}"#
            ) == ["option-without-concept@a", "coding-without-system@a"])
    }

    @Test func formsThatAreNotAssembledAndUnsupportedFeaturesAreReported() throws {
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        let root =
            #""extension": [{"url": "\#(sdc)assemble-expectation", "valueCode": "assemble-root"}, {"url": "\#(sdc)targetStructureMap", "valueCanonical": "urn:x"}, {"url": "\#(sdc)questionnaireAdaptive", "valueBoolean": true}]"#
        #expect(
            try codes(Self.boolean, root)
                == ["structure-map-not-supported@", "adaptive-not-supported@", "form-not-assembled@"])
        let item =
            #"{"linkId": "a", "type": "string", "extension": [{"url": "\#(sdc)calculatedExpression", "valueExpression": {"language": "text/cql", "expression": "1"}}]}"#
        #expect(try codes(item) == ["cql-not-supported@a"])
    }

    @Test func problemsAreReportedInOtherLanguages() throws {
        let item = Self.when(Self.on("n", ">", answer: #""answerInteger": 5"#))
        let problems = FormReview.problems(of: try form("\(Self.number), \(item)")).filter { $0.linkID == "q" }
        #expect(
            problems.map { $0.message(in: "de-CH", from: AuthorSentences.table) } == [
                "Die Bedingung zu \"n\" ist nie erfüllt: Keine gültige Antwort auf diese Frage erfüllt sie.",
                "Der Eintrag ist nie aktiv.",
            ])
        // A sentence that begins with the name of a part.
        let part = try form(
            #"{"linkId": "s", "type": "display", "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-subQuestionnaire", "valueCanonical": "urn:x"}]}"#
        ).problems.first { $0.code == "sub-questionnaire-not-assembled" }
        #expect(part?.message(in: "fr", from: AuthorSentences.table).hasPrefix(#""urn:x": Ce sous-formulaire"#) == true)
    }

    @Test func problemsOfExpressionsAreReportedInOtherLanguages() throws {
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        let form = try form(
            #"{"linkId": "q", "type": "string", "extension": [{"url": "\#(sdc)calculatedExpression", "valueExpression": {"language": "text/fhirpath", "expression": "%nothing"}}]}"#
        )
        let problem = try #require(form.problems.first { $0.code == "expression-variable-unknown" })
        #expect(problem.sentence.parameters == ["calculatedExpression", "nothing"])
        #expect(
            ["de", "es", "fr"].map { problem.message(in: $0, from: AuthorSentences.table) } == [
                "Ein Ausdruck (calculatedExpression) liest %nothing, das nirgends definiert ist.",
                "Una expresión (calculatedExpression) lee %nothing, que no está definido en ninguna parte.",
                "Une expression (calculatedExpression) lit %nothing, que rien ne définit.",
            ])
    }

    @Test func everyLanguageHasEverySentenceWithItsParameters() {
        for template in AuthorSentences.table.templates {
            let count = (1...3).count { template.contains("{\($0)}") }
            let sentence = Sentence(template: template, parameters: (0..<count).map { "\($0)\($0)\($0)" })
            for language in ["de", "es", "fr"] {
                let text = sentence.text(in: language, from: AuthorSentences.table)
                #expect(text != sentence.text || template == "no", "\(language): \(template)")
                #expect(!text.contains("{"), "\(language): \(template)")
            }
        }
    }

    @Test func aFormWithManyConditionsIsReviewedInOneWalk() throws {
        var items: [JSON] = [["linkId": "q0", "type": "boolean"]]
        // Each item is enabled by the next one: nothing after the first is reachable before the last is found.
        for index in 1..<15_000 {
            items.append([
                "linkId": .string("q\(index)"), "type": "boolean",
                "enableWhen": [
                    ["question": .string("q\((index + 1) % 15_000)"), "operator": "=", "answerBoolean": true]
                ],
            ])
        }
        var object = JSONObject(resourceType: "Questionnaire")
        object["item"] = .array(items)
        let form = QuestionnaireForm(Questionnaire(object))
        #expect(FormReview.problems(of: form).map(\.code) == ["code-missing"])
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func publishedFormsAreReviewed() throws {
        for name in try Published.forms() {
            let form = try Published.form(name)
            let problems = FormReview.problems(of: form)
            #expect(problems.allSatisfy { $0.severity != .error && !$0.message.isEmpty }, "\(name)")
            #expect(FormDifference(from: form, to: form).changes.isEmpty, "\(name)")
            for problem in problems {
                for language in ["de", "es", "fr"] {
                    let message = problem.message(in: language, from: AuthorSentences.table)
                    #expect(message != problem.message, "\(language): \(message)")
                }
            }
        }
    }
}
