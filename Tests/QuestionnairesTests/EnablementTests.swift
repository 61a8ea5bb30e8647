import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct EnablementTests {
    private static let when = #""enableWhen": [{"question": "source", "operator": "=", "answerBoolean": true}]"#

    @Test func itemsBelowADisabledItemAreDisabled() throws {
        let form = try form(
            """
            {"linkId": "source", "type": "boolean"},
            {"linkId": "g", "type": "group", \(Self.when), "item": [
              {"linkId": "q", "type": "string", "required": true},
              {"linkId": "always", "type": "string",
               "enableWhen": [{"question": "source", "operator": "!=", "answerBoolean": true}]}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("x")], at: path("g", "q"))
        session.setAnswers([.text("y")], at: path("g", "always"))
        #expect(!session.isEnabled(path("g", "q")) && !session.isEnabled(path("g", "always")))
        #expect(session.problems().isEmpty)
        #expect(session.response()["item"] == nil)
        session.setAnswers([.yes()], at: path("source"))
        #expect(session.isEnabled(path("g", "q")) && !session.isEnabled(path("g", "always")))
        #expect(session.answers(at: path("g", "q")) == [.text("x")], "it came back")
        #expect(value(session.response()["item"], "1.item.0.answer.0.valueString") == "x")
    }

    @Test func answersOfADisabledItemCountAsAbsentForOthers() throws {
        let form = try form(
            """
            {"linkId": "source", "type": "boolean"},
            {"linkId": "middle", "type": "boolean", \(Self.when)},
            {"linkId": "last", "type": "string",
             "enableWhen": [{"question": "middle", "operator": "=", "answerBoolean": true}]},
            {"linkId": "without", "type": "string",
             "enableWhen": [{"question": "middle", "operator": "exists", "answerBoolean": false}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.yes()], at: path("source"))
        session.setAnswers([.yes()], at: path("middle"))
        #expect(session.isEnabled(path("last")) && !session.isEnabled(path("without")))
        session.setAnswers([.yes(false)], at: path("source"))
        #expect(!session.isEnabled(path("last")) && session.isEnabled(path("without")))
        session.setAnswers([.yes()], at: path("source"))
        #expect(session.isEnabled(path("last")))
    }

    @Test func conditionMayReferToALaterQuestion() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "string", \(Self.when)},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "exists", "answerBoolean": true}]},
            {"linkId": "source", "type": "boolean"}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("x")], at: path("a"))
        #expect(!session.isEnabled(path("b")))
        session.setAnswers([.yes()], at: path("source"))
        #expect(session.isEnabled(path("b")))
    }

    @Test func formChoosesBetweenAnyAndAll() throws {
        for (behavior, some, every) in [("any", true, true), ("all", false, true)] {
            let form = try form(
                """
                {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "boolean"},
                {"linkId": "c", "type": "string", "enableBehavior": "\(behavior)", "enableWhen": [
                  {"question": "a", "operator": "=", "answerBoolean": true},
                  {"question": "b", "operator": "=", "answerBoolean": true}]}
                """)
            var session = FormSession(form)
            #expect(!session.isEnabled(path("c")))
            session.setAnswers([.yes()], at: path("b"))
            #expect(session.isEnabled(path("c")) == some)
            session.setAnswers([.yes()], at: path("a"))
            #expect(session.isEnabled(path("c")) == every)
        }
    }

    @Test func eachInstanceOfAGroupHasItsOwnConditions() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "source", "type": "boolean"},
              {"linkId": "inner", "type": "group", "item": [{"linkId": "q", "type": "string", \(Self.when)}]}]},
            {"linkId": "outside", "type": "string", \(Self.when)}
            """)
        var session = FormSession(form)
        session.ensureGroup(at: path(("g", 1)))
        session.setAnswers([.yes()], at: path(("g", 1), ("source", 0)))
        #expect(!session.isEnabled(path(("g", 0), ("inner", 0), ("q", 0))))
        #expect(session.isEnabled(path(("g", 1), ("inner", 0), ("q", 0))))
        #expect(session.isEnabled(path("outside")), "from outside, any instance counts")
    }

    @Test func nestedRepetitionsUseTheNearestInstance() throws {
        let form = try form(
            """
            {"linkId": "outer", "type": "group", "repeats": true, "item": [
              {"linkId": "inner", "type": "group", "repeats": true, "item": [
                {"linkId": "source", "type": "boolean"}, {"linkId": "near", "type": "string", \(Self.when)}]},
              {"linkId": "beside", "type": "string", \(Self.when)}]}
            """)
        var session = FormSession(form)
        session.ensureGroup(at: path(("outer", 1)))
        session.ensureGroup(at: path(("outer", 1), ("inner", 1)))
        session.setAnswers([.yes()], at: path(("outer", 1), ("inner", 1), ("source", 0)))
        #expect(!session.isEnabled(path(("outer", 0), ("beside", 0))))
        #expect(session.isEnabled(path(("outer", 1), ("beside", 0))))
        #expect(!session.isEnabled(path(("outer", 1), ("inner", 0), ("near", 0))))
        #expect(session.isEnabled(path(("outer", 1), ("inner", 1), ("near", 0))))
    }

    @Test func itemsBelowAnAnswerUseTheItemsOfThatAnswer() throws {
        let form = try form(
            """
            {"linkId": "drug", "type": "string", "repeats": true, "item": [
              {"linkId": "source", "type": "boolean"}, {"linkId": "dose", "type": "string", \(Self.when)},
              {"linkId": "about", "type": "string",
               "enableWhen": [{"question": "drug", "operator": "=", "answerString": "other"}]}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("one"), .text("other")], at: path("drug"))
        session.setAnswers([.yes()], at: path(("drug", 1), ("source", 0)))
        #expect(!session.isEnabled(path(("drug", 0), ("dose", 0))))
        #expect(session.isEnabled(path(("drug", 1), ("dose", 0))))
        // The parent question is one occurrence with two answers; any of them fulfils the condition.
        #expect(session.isEnabled(path(("drug", 0), ("about", 0))))
    }

    @Test func anUndecidedExpressionLeavesTheItemEnabledAndNotRequired() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "extension": [
              {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
               "valueExpression": {"language": "text/fhirpath", "expression": "%patient.active"}}],
             "item": [{"linkId": "q", "type": "string", "required": true}, {"linkId": "r", "type": "string"}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("x")], at: path("g", "r"))
        let problems = session.problems()
        #expect(problems.map(\.code) == ["expression-undecided"])
    }

    /// Evaluated in rounds, this takes as many rounds as there are items.
    @Test(.timeLimit(.minutes(1)))
    func aLongChainOfConditionsIsSettledQuickly() throws {
        // The worst order: each item depends on the next one.
        let count = 3000
        let items = (0..<count).map { index in
            index == count - 1
                ? #"{"linkId": "q\#(index)", "type": "boolean"}"#
                : """
                {"linkId": "q\(index)", "type": "boolean",
                 "enableWhen": [{"question": "q\(index + 1)", "operator": "=", "answerBoolean": true}]}
                """
        }
        let form = try form(items.joined(separator: ","))
        let answers = JSON.object(
            (0..<count).reduce(into: JSONObject()) { $0["q\($1)"] = true })
        let (response, problems) = form.answer(answers, subject: nil, authored: nil)
        #expect(problems.isEmpty && response.item.count == count)
        var session = FormSession(form)
        for index in 0..<20 { session.setAnswers([.yes()], at: path("q\(index)")) }
        #expect(session.isEnabled(path("q0")) == false)
    }
}
