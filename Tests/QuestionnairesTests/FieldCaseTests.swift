import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite(.enabled(if: FieldCases.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct FieldCaseTests {
    @Test(arguments: [
        ("optionsOnly", "choice", "coding", ["option"]), ("optionsOnly", "choice", "string", ["answer-type"]),
        ("optionsOnly", "open-choice", "coding", ["option"]), ("optionsOnly", "open-choice", "string", ["answer-type"]),
        ("optionsOrString", "choice", "coding", ["option"]), ("optionsOrString", "choice", "string", []),
        ("optionsOrString", "open-choice", "coding", ["option"]), ("optionsOrString", "open-choice", "string", []),
        ("optionsOrType", "choice", "coding", []), ("optionsOrType", "choice", "string", ["answer-type"]),
        ("optionsOrType", "open-choice", "coding", []), ("optionsOrType", "open-choice", "string", []),
    ])
    func theAnswerConstraintDecides(constraint: String, type: String, answer: String, expected: [String]) throws {
        let found = try FieldCases.problems(
            20, form: "form-\(constraint)-\(type)", response: "answer-\(constraint)-\(type)-\(answer)")
        #expect(found.errors == expected)
    }

    @Test(arguments: ["administrative-gender", "yesnodontknow"])
    func theValueSetsOfR4AreKnown(set: String) throws {
        let form = try FieldCases.form(21, "\(set)-form")
        #expect(form.problems.isEmpty)
        #expect(form.item("g")?.options?.isEmpty == false)
        #expect(try FieldCases.problems(21, form: "\(set)-form", response: "\(set)-good").errors == [])
        #expect(try FieldCases.problems(21, form: "\(set)-form", response: "\(set)-bad").errors == ["option"])
    }

    @Test func aFlatResponseIsValidInTheFormsGroups() throws {
        let form = try FieldCases.form(22, "form")
        let response = try #require(try FieldCases.resource(22, "response").as(QuestionnaireResponse.self))
        let arranged = form.arranging(response)
        #expect(ResponseValidator(form).problems(in: arranged).isEmpty)
        #expect(arranged.item.map(\.linkId) == ["g1", "q3"] && arranged.item[0].item.map(\.linkId) == ["q1", "q2"])
    }

    @Test(arguments: [false, true]) func aSliderKeepsItsLimitsInEitherOrder(reversed: Bool) throws {
        var questionnaire = try #require(
            try FieldCases.resource(23, "form-numbers-first").as(Questionnaire.self))
        if reversed { questionnaire.item[0].extension.reverse() }
        let form = QuestionnaireForm(questionnaire)
        #expect(!form.problems.contains { $0.code == "limit-unreadable" })
        for (name, expected) in [("7", [String]()), ("99", ["max-value"])] {
            let response = try #require(
                try FieldCases.resource(23, "response-numbers-first-\(name)").as(QuestionnaireResponse.self))
            #expect(ResponseValidator(form).problems(in: response).errors == expected)
        }
    }

    @Test(arguments: [
        "caret-alt", "email", "flags", "named", "phone", "posix", "postal", "set", "set2", "slashes", "unicode",
    ])
    func patternsOfTheWebAreUnderstood(name: String) throws {
        #expect(try FieldCases.problems(27, form: "\(name)-form", response: "\(name)-good").errors == [])
        #expect(try FieldCases.problems(27, form: "\(name)-form", response: "\(name)-bad").errors == ["regex"])
        let warned = try FieldCases.form(27, "\(name)-form").problems.map(\.code)
        #expect(warned == (name == "slashes" ? ["regex-javascript"] : []))
    }

    @Test func unreadablePatternIsReported() throws {
        #expect(try FieldCases.form(27, "nested-form").problems.map(\.code) == ["regex-invalid"])
    }

    @Test func unassembledSubQuestionnaireIsReported() throws {
        let problems = try FieldCases.form(31, "form").problems
        #expect(problems.map(\.code) == ["sub-questionnaire-not-assembled"])
        #expect(problems[0].message.contains("https://example.org/forms/part|1") && problems[0].linkID == "sub")
    }

    @Test(arguments: [
        ("form", "kg-75", []), ("form", "lb-165", []), ("form", "lb-40", ["min-value"]),
        ("form", "lb-700", ["max-value"]), ("form-numbers", "numbers-lb-40", ["min-value"]),
        ("form-numbers", "numbers-lb-400", []),
    ])
    func boundsAreComparedAfterConversion(form: String, response: String, expected: [String]) throws {
        #expect(try FieldCases.problems(34, form: form, response: response).errors == expected)
    }

    @Test func conditionsAreComparedAfterConversion() throws {
        #expect(try FieldCases.problems(35, form: "form", response: "lb-250").errors == ["required"])
        #expect(try FieldCases.problems(35, form: "form", response: "g-113000").errors == ["unit", "required"])
    }
}
