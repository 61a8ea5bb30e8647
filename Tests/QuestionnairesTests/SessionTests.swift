import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct SessionTests {
    @Test func theResponseHasTheShapeOfTheForm() throws {
        let form = try form(
            """
            {"linkId": "note", "type": "display", "text": "Hello"},
            {"linkId": "g", "type": "group", "text": "Group", "item": [
              {"linkId": "empty", "type": "group", "item": [{"linkId": "never", "type": "string"}]},
              {"linkId": "n", "type": "decimal", "text": "Number"},
              {"linkId": "unanswered", "type": "string"}]},
            {"linkId": "drug", "type": "string", "repeats": true, "item": [
              {"linkId": "about", "type": "group", "item": [{"linkId": "dose", "type": "integer"}]}]},
            {"linkId": "hidden", "type": "string", "initial": [{"valueString": "kept"}], "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true}]}
            """)
        var session = FormSession(form)
        // In reverse: the form's order counts.
        session.setAnswers([.text("a"), .text("b")], at: path("drug"))
        session.setAnswers([.integer(5)], at: path(("drug", 1), ("about", 0), ("dose", 0)))
        let number = try #require(JSONNumber(text: "1.500"))
        session.setAnswers([AnswerValue(type: "Decimal", json: .number(number))], at: path("g", "n"))
        let authored = try #require(DateTime.init("2026-03-04T05:06:07+01:00"))
        let response = session.response(subject: "Patient/1", authored: authored)
        let expected = """
            {"resourceType":"QuestionnaireResponse","questionnaire":"https://example.org/form|1","status":"completed",\
            "subject":{"reference":"Patient/1"},"authored":"2026-03-04T05:06:07+01:00","item":[\
            {"linkId":"g","text":"Group","item":[{"linkId":"n","text":"Number","answer":[{"valueDecimal":1.500}]}]},\
            {"linkId":"drug","answer":[{"valueString":"a"},{"valueString":"b","item":[{"linkId":"about","item":[\
            {"linkId":"dose","answer":[{"valueInteger":5}]}]}]}]},\
            {"linkId":"hidden","answer":[{"valueString":"kept"}]}]}
            """
        #expect(response.json.text() == expected)
        #expect(session.problems().isEmpty)
    }

    @Test func formWithoutAURLIsIdentifiedByItsID() throws {
        let questionnaire = try #require(
            try JSON(parsing: #"{"resourceType": "Questionnaire", "id": "f1", "item": []}"#).object)
        let form = QuestionnaireForm(Questionnaire(questionnaire))
        #expect(FormSession(form).response().questionnaire == "Questionnaire/f1")
    }

    @Test func newSessionsAndInstancesHaveInitialValuesAndSelectedOptions() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "a", "type": "integer", "initial": [{"valueInteger": 7}], "item": [
                {"linkId": "below", "type": "string", "initial": [{"valueString": "x"}]}]},
              {"linkId": "b", "type": "choice", "repeats": true, "answerOption": [
                {"valueCoding": {"code": "p"}, "initialSelected": true}, {"valueCoding": {"code": "q"}},
                {"valueCoding": {"code": "r"}, "initialSelected": true}]}]}
            """)
        var session = FormSession(form)
        session.ensureGroup(at: path(("g", 1)))
        for instance in 0...1 {
            #expect(session.answers(at: path(("g", instance), ("a", 0))) == [.integer(7)])
            #expect(session.answers(at: path(("g", instance), ("a", 0), ("below", 0))) == [.text("x")])
            #expect(session.answers(at: path(("g", instance), ("b", 0))) == [.code("p"), .code("r")])
        }
    }

    @Test func groupsAreAddedAndRemoved() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [{"linkId": "q", "type": "integer"}]},
            {"linkId": "one", "type": "group", "item": [{"linkId": "r", "type": "integer"}]}
            """)
        var session = FormSession(form)
        // One does not repeat, one is not a group, one exceeds the limit.
        for refused in [path(("one", 1)), path(("g", 0), ("q", 0)), path(("g", 1_000_000))] {
            let isMade = session.ensureGroup(at: refused)
            #expect(!isMade, "\(refused)")
        }
        for index in 0...2 {
            session.ensureGroup(at: path(("g", index)))
            session.setAnswers([.integer(index)], at: path(("g", index), ("q", 0)))
        }
        session.removeGroup(at: path(("g", 1)))
        #expect(session.instanceCount(at: path("g")) == 2)
        #expect(session.answers(at: path(("g", 1), ("q", 0))) == [.integer(2)])
        session.removeGroup(at: path(("g", 0)))
        session.removeGroup(at: path(("g", 0)))
        #expect(session.instanceCount(at: path("g")) == 1 && session.response()["item"] == nil)
    }

    @Test func itemsBelowAnAnswerStayWithIt() throws {
        let form = try form(
            """
            {"linkId": "drug", "type": "string", "repeats": true, "item": [{"linkId": "dose", "type": "integer"}]},
            {"linkId": "one", "type": "boolean", "item": [{"linkId": "why", "type": "string"}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("a"), .text("b")], at: path("drug"))
        session.setAnswers([.integer(1)], at: path(("drug", 0), ("dose", 0)))
        session.setAnswers([.integer(2)], at: path(("drug", 1), ("dose", 0)))
        session.setAnswers([.text("b"), .text("c")], at: path("drug"))
        #expect(session.answers(at: path(("drug", 0), ("dose", 0))) == [.integer(2)])
        #expect(session.answers(at: path(("drug", 1), ("dose", 0))) == [])
        session.setAnswers([.yes()], at: path("one"))
        session.setAnswers([.text("so")], at: path("one", "why"))
        session.setAnswers([], at: path("one"))
        let isSet = session.setAnswers([.text("lost")], at: path("one", "why"))
        #expect(!isSet, "there is nothing to stand below")
        session.setAnswers([.yes(false)], at: path("one"))
        #expect(session.answers(at: path("one", "why")) == [.text("so")], "an answer that is corrected keeps it")
    }

    @Test func entriesAreTheItemsToShow() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]},
            {"linkId": "hidden", "type": "group", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true}],
             "item": [{"linkId": "h", "type": "string"}]},
            {"linkId": "g", "type": "group", "item": [{"linkId": "c", "type": "string"}]}
            """)
        var session = FormSession(form)
        #expect(session.nextQuestion()?.path == path("a"))
        #expect(session.nextQuestion(after: path("a"))?.path == path("g", "c"))
        session.setAnswers([.yes()], at: path("a"))
        #expect(session.nextQuestion(after: path("a"))?.path == path("b"))
        #expect(session.nextQuestion(after: path("b"))?.path == path("g", "c"))
        #expect(session.nextQuestion(after: path("g", "c")) == nil)
        #expect(session.previousQuestion(before: path("g", "c"))?.path == path("b"))
        #expect(session.previousQuestion(before: path("a")) == nil)
        #expect(session.progress == (1, 3))
        #expect(session.entries().map(\.path.description) == ["a", "b", "g", "g/c"])
        #expect(
            session.entries(includingHidden: true).map(\.path.description) == [
                "a", "b", "hidden", "hidden/h", "g", "g/c",
            ])
    }

    @Test func aSnapshotKeepsDisabledAnswersInstancesAndClearedInitialValues() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]},
            {"linkId": "i", "type": "string", "initial": [{"valueString": "first"}]},
            {"linkId": "g/h", "type": "group", "repeats": true, "item": [
              {"linkId": "g/h/q", "type": "string", "item": [{"linkId": "below", "type": "string"}]}]}
            """)
        var session = FormSession(form)
        session.setAnswers([.text("kept")], at: path("b"))
        session.setAnswers([], at: path("i"))
        session.ensureGroup(at: path(("g/h", 2)))
        session.setAnswers([.text("x")], at: path(("g/h", 2), ("g/h/q", 0)))
        session.setAnswers([.text("y")], at: path(("g/h", 2), ("g/h/q", 0), ("below", 0)))
        var again = FormSession(form, snapshot: try JSON(session.snapshot.bytes()))
        #expect(again.response().json == session.response().json)
        #expect(again.instanceCount(at: path("g/h")) == 3 && again.answers(at: path("i")).isEmpty)
        again.setAnswers([.yes()], at: path("a"))
        #expect(again.answers(at: path("b")) == [.text("kept")] && again.isEnabled(path("b")))
        #expect(FormSession(form, snapshot: ["nonsense"]).response()["item"] == nil)
    }

    @Test func earlierResponseIsContinued() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [{"linkId": "q", "type": "integer"}]},
            {"linkId": "r", "type": "group", "item": [{"linkId": "s", "type": "integer"}]}
            """)
        let earlier = try response(
            """
            {"linkId": "g", "item": [{"linkId": "q", "answer": [{"valueInteger": 1}]}]},
            {"linkId": "g", "item": [{"linkId": "q", "answer": [{"valueInteger": 2}]}]},
            {"linkId": "gone", "answer": [{"valueInteger": 2}]}
            """)
        var session = FormSession(form, response: earlier)
        #expect(session.answers(at: path(("g", 1), ("q", 0))) == [.integer(2)])
        let isSet = session.setAnswers([.integer(3)], at: path("r", "s"))
        #expect(isSet && session.problems().isEmpty)
    }
}
