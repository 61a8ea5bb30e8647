import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Defects of sessions that inputs of the fuzzers `Form` and `Steps` showed.
@Suite struct StepDefectTests {
    private static func calculated(_ expression: String) -> String {
        """
        "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression",
          "valueExpression": {"language": "text/fhirpath", "expression": "\(expression)"}}]
        """
    }

    /// Checks that the session is in the state that its answers give.
    private func check(_ session: FormSession, sourceLocation: SourceLocation = #_sourceLocation) {
        let again = FormSession(session.form, clock: session.clock, snapshot: session.snapshot)
        #expect(
            session.stateLine(step: 0, refused: nil) == again.stateLine(step: 0, refused: nil),
            sourceLocation: sourceLocation)
    }

    @Test func aValueBelowAnAnswerFollowsTheOtherAnswers() throws {
        let sum = Self.calculated("%resource.descendants().where(linkId = 'c').answer.value.sum()")
        let form = try form(
            """
            {"linkId": "a", "type": "string", "repeats": true, "item": [
              {"linkId": "c", "type": "integer", "initial": [{"valueInteger": 1}]},
              {"linkId": "d", "type": "integer", "readOnly": true, \(sum)}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("x"), .text("y")], at: path("a"))
        #expect(session.answers(at: path(("a", 1), ("d", 0))) == [.integer(2)])
        session.setAnswers([.text("x"), .text("y"), .text("z")], at: path("a"))
        #expect(session.answers(at: path(("a", 0), ("d", 0))) == [.integer(3)])
        check(session)
        session.setAnswers([.text("y")], at: path("a"))
        #expect(session.answers(at: path("a", "d")) == [.integer(1)])
        check(session)
    }

    @Test func aCalculatedCodeWithoutASystemIsAnOptionOnlyIfOneOptionHasIt() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "choice"},
            {"linkId": "b", "type": "open-choice", \(Self.calculated("%resource.item.where(linkId = 'a').answer.value")),
              "answerOption": [{"valueCoding": {"system": "urn:one", "code": "x"}},
                {"valueCoding": {"system": "urn:two", "code": "x"}}, {"valueCoding": {"system": "urn:one", "code": "y"}}]}
            """)
        var session = FormSession(form)
        session.setAnswers([AnswerValue(type: "Coding", json: ["code": "y"])], at: path("a"))
        #expect(session.answers(at: path("b")).map(\.json) == [["system": "urn:one", "code": "y"]])
        // Two code systems have the code: neither is added to the answer.
        session.setAnswers([AnswerValue(type: "Coding", json: ["code": "x"])], at: path("a"))
        #expect(session.answers(at: path("b")).map(\.json) == [["code": "x"]])
        check(session)
    }

    @Test func aSessionHasTheProblemsOfTheFormsRulesFromTheStart() throws {
        let rule = """
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [
              {"url": "key", "valueId": "k"}, {"url": "severity", "valueCode": "error"},
              {"url": "expression", "valueString": "item.answer.value contains 'x'"}]}]
            """
        let form = try form(#"{"linkId": "a", "type": "string"}"#, rule)
        var session = FormSession(form)
        #expect(session.problems().errors == ["constraint"])
        #expect(session.problems() == ResponseValidator(form).problems(in: session.response()))
        session.setAnswers([.text("y")], at: path("a"))
        #expect(session.problems().errors == ["constraint"])
        check(session)
        #expect(FormSession(form, response: session.response()).problems().errors == ["constraint"])
        session.setAnswers([.text("x")], at: path("a"))
        #expect(session.problems().isEmpty)
        check(session)
    }

    @Test func rulesAndVariablesThatReadTheClockFollowIt() throws {
        let noon = "@2026-03-01T12:00:00Z"
        func rule(_ expression: String) -> String {
            """
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [
              {"url": "key", "valueId": "k"}, {"url": "severity", "valueCode": "error"},
              {"url": "expression", "valueString": "\(expression)"}]}
            """
        }
        let variable = """
            {"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {
              "name": "late", "language": "text/fhirpath", "expression": "now() > \(noon)"}}
            """
        let form = try form(
            """
            {"linkId": "a", "type": "string", "extension": [\(rule("%late.not()"))]}
            """, #""extension": [\#(variable), \#(rule("now() < \(noon)"))]"#)
        let (before, after) = (DateTime("2026-03-01T11:00:00Z"), DateTime("2026-03-01T13:00:00Z"))
        var session = FormSession(form, clock: { before })
        session.setAnswers([.text("x")], at: path("a"))
        #expect(session.problems().isEmpty)
        session.clock = { after }
        let found = session.problems()
        #expect(found.map(\.expression) == ["QuestionnaireResponse", "QuestionnaireResponse.item[0]"])
        #expect(found == ResponseValidator(form, now: after).problems(in: session.response()))
    }

    @Test func aFailingCalculationIsAnErrorIfItsInstanceIsInTheResponse() throws {
        let several = Self.calculated("1 | 2")
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "a", "type": "integer"}, {"linkId": "c", "type": "integer", "readOnly": true, \(several)}]}
            """)
        var session = FormSession(form)
        for answers in [[], [AnswerValue.integer(3)], []] {
            session.setAnswers(answers, at: path("g", "a"))
            let found = session.problems()
            #expect(found.map(\.code) == ["expression-failed"])
            #expect(found.errors.isEmpty == answers.isEmpty)
            #expect(ResponseValidator(form).problems(in: session.response()).errors == found.errors)
            check(session)
        }
    }

    /// Each part of a path was searched for in each rest of it: the time was cubic, with linkIds that contain slashes
    /// exponential, and the stack overflowed.
    @Test(.timeLimit(.minutes(1)))
    func aPathOfManyPartsIsRefused() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "group", "item": [
              {"linkId": "b", "type": "string"}, {"linkId": "a/a", "type": "string"},
              {"linkId": "c", "type": "group", "item": [{"linkId": "d/e", "type": "string"}]}]}
            """)
        var session = FormSession(form)
        for (path, code) in [
            (String(repeating: "a/", count: 100) + "x", "link-id-unknown"),
            (String(repeating: "a/", count: 200_000) + "b", "item-misplaced"),
            (String(repeating: "/", count: 100_000), "link-id-unknown"),
        ] {
            let refusal = #expect(throws: SessionStep.Refusal.self) { try session.perform(.set(path, [.text("x")])) }
            #expect(refusal?.code == code)
        }
        for path in ["a/b", "b", "a/a", "a/a/a", "a[0]/c[0]/d/e[0]", "c/d/e", "d/e"] {
            try session.perform(.set(path, [.text("x")]))
        }
        #expect(throws: SessionStep.Refusal.self) { try session.perform(.set("c/a/d/e", [.text("x")])) }
    }
}
