import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct ValidatorTests {
    private func problems(
        _ items: String, _ answers: String, status: String = "completed", more: String = ""
    ) throws -> [ResponseProblem] {
        let response = try response(answers, "\"status\": \"\(status)\"\(more)")
        return ResponseValidator(try form(items)).problems(in: response)
    }

    @Test func pathsAreWrittenAsFHIRPath() throws {
        let found = try problems(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "q", "type": "string", "repeats": true, "item": [{"linkId": "r", "type": "integer"}]},
              {"linkId": "must", "type": "string", "required": true}]}
            """,
            """
            {"linkId": "g", "item": [{"linkId": "must", "answer": [{"valueString": "x"}]}]},
            {"linkId": "g", "item": [{"linkId": "q", "answer": [
              {"valueString": "a"}, {"valueString": "b", "item": [{"linkId": "r", "answer": [{"valueString": "c"}]}]}]}]}
            """)
        #expect(
            found.map { "\($0.code) \($0.expression) \($0.linkID ?? "")" } == [
                "answer-type QuestionnaireResponse.item[1].item[0].answer[1].item[0].answer[0] r",
                "required QuestionnaireResponse.item[1] must",
            ])
    }

    @Test(arguments: [
        ("link-id-unknown", #"{"linkId": "none", "answer": [{"valueString": "x"}]}"#),
        ("link-id-missing", #"{"answer": [{"valueString": "x"}]}"#),
        ("item-misplaced", #"{"linkId": "inner", "answer": [{"valueString": "x"}]}"#),
        ("item-misplaced", #"{"linkId": "q", "item": [{"linkId": "below", "answer": [{"valueString": "x"}]}]}"#),
        ("item-misplaced", #"{"linkId": "note", "item": [{"linkId": "q"}]}"#),
        ("item-order", #"{"linkId": "last"}, {"linkId": "q"}"#),
        ("item-repeated", #"{"linkId": "q", "answer": [{"valueString": "x"}]}, {"linkId": "q"}"#),
        ("repeats", #"{"linkId": "g"}, {"linkId": "g"}"#),
        ("repeats", #"{"linkId": "q", "answer": [{"valueString": "x"}, {"valueString": "y"}]}"#),
        ("group-answered", #"{"linkId": "g", "answer": [{"valueString": "x"}]}"#),
        ("display-answered", #"{"linkId": "note", "answer": [{"valueString": "x"}]}"#),
        ("answer-empty", #"{"linkId": "q", "answer": [{}]}"#),
        ("answer-malformed", #"{"linkId": "q", "answer": [{"valueString": "x", "valueInteger": 1}]}"#),
        ("answer-malformed", #"{"linkId": "q", "answer": [{"valueString": 5}]}"#),
        ("response-malformed", #"{"linkId": "q", "answer": {"valueString": "x"}}"#),
        ("response-malformed", #""q""#),
        ("not-enabled", #"{"linkId": "off", "answer": [{"valueString": "x"}]}"#),
    ])
    func structuralProblemIsReported(code: String, answers: String) throws {
        let items = """
            {"linkId": "note", "type": "display"},
            {"linkId": "q", "type": "string", "item": [{"linkId": "below", "type": "string"}]},
            {"linkId": "g", "type": "group", "item": [{"linkId": "inner", "type": "string"}]},
            {"linkId": "off", "type": "string",
             "enableWhen": [{"question": "q", "operator": "=", "answerString": "on"}]},
            {"linkId": "last", "type": "string"}
            """
        #expect(try problems(items, answers).errors == [code])
    }

    @Test func responseWithItemsThatAreNotAListIsRefused() throws {
        var response = try response("")
        response["item"] = "x"
        #expect(ResponseValidator(try form("")).problems(in: response).errors == ["response-malformed"])
    }

    @Test func requiredItemsNeedAnswersIfEnabledAndInAnExistingGroup() throws {
        let items = """
            {"linkId": "q", "type": "string", "required": true},
            {"linkId": "off", "type": "string", "required": true,
             "enableWhen": [{"question": "q", "operator": "=", "answerString": "on"}]},
            {"linkId": "optional", "type": "group", "item": [{"linkId": "r", "type": "string", "required": true}]},
            {"linkId": "needed", "type": "group", "required": true, "item": [
              {"linkId": "s", "type": "string"}, {"linkId": "t", "type": "group", "item": [{"linkId": "u", "type": "string"}]}]}
            """
        func missing(_ answers: String) throws -> [String] {
            try problems(items, answers).compactMap { $0.code == "required" ? $0.linkID : "other" }
        }
        #expect(try missing("") == ["q", "needed"])
        #expect(try missing(#"{"linkId": "q", "answer": [{"valueString": "on"}]}"#) == ["off", "needed"])
        #expect(try missing(#"{"linkId": "optional"}, {"linkId": "needed"}"#) == ["q", "r", "needed"])
        let deep =
            #"{"linkId": "needed", "item": [{"linkId": "t", "item": [{"linkId": "u", "answer": [{"valueString": "x"}]}]}]}"#
        #expect(try missing(deep) == ["q"])
    }

    @Test func numbersOfAnswersAndInstancesAreKept() throws {
        func occurrences(_ minimum: Int, _ maximum: Int) -> String {
            """
            "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-minOccurs", "valueInteger": \(minimum)},
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-maxOccurs", "valueInteger": \(maximum)}]
            """
        }
        let question = #"{"linkId": "q", "type": "integer", "repeats": true, \#(occurrences(2, 3))}"#
        for (count, expected) in [(1, ["min-occurs"]), (2, []), (3, []), (4, ["max-occurs"])] {
            let list = (0..<count).map { #"{"valueInteger": \#($0)}"# }.joined(separator: ",")
            #expect(try problems(question, #"{"linkId": "q", "answer": [\#(list)]}"#).errors == expected)
        }
        #expect(try problems(question, "").errors == [], "absent altogether it has no number to keep to")
        let group = """
            {"linkId": "g", "type": "group", "repeats": true, "required": true, \(occurrences(2, 3)),
             "item": [{"linkId": "q", "type": "integer"}]}
            """
        for (count, expected) in [(1, ["min-occurs"]), (2, []), (4, ["max-occurs"])] {
            let list = (0..<count).map {
                #"{"linkId": "g", "item": [{"linkId": "q", "answer": [{"valueInteger": \#($0)}]}]}"#
            }
            #expect(try problems(group, list.joined(separator: ",")).errors == expected)
        }
    }

    @Test(arguments: ["in-progress", "stopped"])
    func unfinishedResponseMayLackAnswersButItsAnswersMustBeValid(status: String) throws {
        let items = """
            {"linkId": "a", "type": "string", "required": true}, {"linkId": "b", "type": "integer"},
            {"linkId": "g", "type": "group", "item": [{"linkId": "x", "type": "string"}]}
            """
        let answers = """
            {"linkId": "b", "answer": [{"valueInteger": 1}, {"valueInteger": 2}]}, {"linkId": "g"}, {"linkId": "g"}
            """
        #expect(try problems(items, answers).errors.sorted() == ["repeats", "repeats", "required"])
        let found = try problems(items, answers, status: status)
        #expect(found.errors.isEmpty && found.warnings.sorted() == ["repeats", "repeats", "required"])
        let wrong = #"{"linkId": "b", "answer": [{"valueString": "x"}]}"#
        #expect(try problems(items, wrong, status: status).errors == ["answer-type"])
    }

    @Test func theFormIsTheOneThatTheResponseNames() throws {
        func codes(_ name: String?) throws -> ([String], [String]) {
            var response = try response("")
            response.questionnaire = name
            let problems = ResponseValidator(try form("", #""id": "f1""#)).problems(in: response)
            return (problems.errors, problems.warnings)
        }
        for same in [nil, "https://example.org/form", "https://example.org/form|1", "Questionnaire/f1"] {
            #expect(try codes(same) == ([], []), "\(same ?? "none")")
        }
        #expect(try codes("https://example.org/form|2") == ([], ["questionnaire-version"]))
        #expect(try codes("https://example.org/other") == (["questionnaire-other"], []))
        #expect(try codes("Questionnaire/other") == ([], ["questionnaire-other"]))
    }

    @Test func formOutOfUseIsAWarning() throws {
        func warnings(_ more: String, _ authored: String = "2024-05-06") throws -> [String] {
            let form = try form("", more)
            let response = try response("", #""status": "completed", "authored": "\#(authored)""#)
            return ResponseValidator(form).problems(in: response).map(\.code)
        }
        let period = #""effectivePeriod": {"start": "2024-05", "end": "2024-06"}"#
        #expect(try warnings(period) == [])
        #expect(try warnings(period, "2024-04-30") == ["questionnaire-inactive"])
        #expect(try warnings(period, "2024-06-30") == [])
        #expect(try warnings(period, "2024-07-01") == ["questionnaire-inactive"])
    }

    @Test func textThatDiffersFromTheFormIsAWarning() throws {
        let items = #"{"linkId": "q", "type": "string", "text": "How?"}"#
        let found = try problems(items, #"{"linkId": "q", "text": "Why?", "answer": [{"valueString": "x"}]}"#)
        #expect(found.errors.isEmpty && found.warnings == ["item-text"])
    }

    @Test func messagesQuoteNoAnswers() throws {
        let items = #"{"linkId": "q", "type": "string", "maxLength": 3, "answerOption": [{"valueString": "x"}]}"#
        let found = try problems(items, #"{"linkId": "q", "answer": [{"valueString": "PLANTED\nNAME"}]}"#)
        #expect(found.errors.sorted() == ["max-length", "newline", "option"])
        #expect(!found.contains { "\($0)".contains("PLANTED") })
    }
}
