import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TestSupport
import Testing

@testable import ResearchKitForms

/// Results of sessions, and the steps that a session has.
@Suite struct SurveyPrefillTests {
    /// Returns the results of all steps of a session as one task result.
    static func result(_ task: SurveyTask, _ session: FormSession) -> SurveyResult {
        var result = SurveyResult(className: "ORKTaskResult", identifier: task.identifier)
        result.results = task.steps(in: session).map { task.result(of: $0, in: session) }
        return result
    }

    @Test func theResultOfASessionGivesTheSession() throws {
        let seed = Seeded.newSeed()
        for round in 0..<300 {
            var generator = Seeded(seed &+ UInt64(round))
            let random = RandomForm(using: &generator)
            guard let task = try? SurveyTask(random.form) else { continue }
            var session = FormSession(random.form)
            for item in random.all.values.sorted(by: { $0.linkID < $1.linkID }) where generator.chance(70) {
                guard !["group", "display"].contains(item.type) else { continue }
                let several = item.repeats && generator.chance(50)
                var values = [RandomForm.answer(item.type, &generator)]
                if several {
                    let other = RandomForm.answer(item.type, &generator)
                    if other != values[0] { values.append(other) }
                }
                let options = (random.form.item(item.linkID)?.options ?? []).map(\.value)
                session[all: item.linkID] = values.map { value in options.first { value.equals($0) } ?? value }
            }
            let again = task.reading(Self.result(task, session))
            #expect(again.problems.isEmpty, "seed \(seed) round \(round): \(again.problems)")
            let (found, expected) = (again.session.response().json.text(), session.response().json.text())
            #expect(found == expected, "seed \(seed) round \(round)")
            if found != expected { return }
        }
    }

    @Test func stepsOfASessionHaveItsRepetitions() throws {
        let form = try form(
            """
            {"linkId": "m", "type": "group", "repeats": true, "text": "M", "item": [
              {"linkId": "name", "type": "string"},
              {"linkId": "in", "type": "group", "repeats": true, "text": "In", "item": [{"linkId": "x", "type": "string"}]}]},
            {"linkId": "end", "type": "string"}
            """)
        let task = try SurveyTask(form)
        #expect(task.steps.map(\.identifier) == ["m", "end"])
        #expect(task.steps[0].formItems.map(\.identifier) == ["name", "in", "x"])
        var session = FormSession(form)
        #expect(task.steps(in: session).map(\.identifier) == ["m", "+m/in[1]", "+m[1]", "end"])
        session.ensureGroup(at: path(("m", 0), ("in", 1)))
        session.ensureGroup(at: path(("m", 1)))
        let steps = task.steps(in: session)
        #expect(
            steps.map(\.identifier)
                == ["m", "+m/in[1]", "m/in[1]", "+m/in[2]", "+m[1]", "m[1]", "+m[1]/in[1]", "+m[2]", "end"])
        #expect(steps[1].formItems.map(\.text) == ["Another one: In?"])
        #expect(steps[2].text == "In (2)" && steps[2].formItems.map(\.identifier) == ["m/in[1]/x"])
        #expect(
            steps[5].text == "M (2)" && steps[5].formItems.map(\.identifier) == ["m[1]/name", "m[1]/in", "m[1]/in/x"])
    }

    @Test func aQuestionThatRepeatsIsAskedAgainAfterAnAnswer() throws {
        let form = try form(#"{"linkId": "q", "type": "string", "repeats": true}, {"linkId": "end", "type": "string"}"#)
        let task = try SurveyTask(form)
        var session = FormSession(form)
        #expect(task.steps(in: session).map(\.identifier) == ["q", "end"])
        session[all: "q"] = [.text("a")]
        #expect(task.steps(in: session).map(\.identifier) == ["q", "+q[1]", "end"])
        session[all: "q"] = [.text("a"), .text("b")]
        let steps = task.steps(in: session)
        #expect(steps.map(\.identifier) == ["q", "+q[1]", "q[1]", "+q[2]", "end"])
        #expect(task.result(of: steps[2], in: session).results.first?["textAnswer"] == "b")
        #expect(task.result(of: steps[1], in: session).results.first?["booleanAnswer"] == 1)
        #expect(task.result(of: steps[3], in: session).results.first?["booleanAnswer"] == 0)
    }

    @Test func itemsBelowSeveralAnswersHaveStepsOfTheirOwn() throws {
        let form = try form(
            """
            {"linkId": "q", "type": "choice", "repeats": true,
             "answerOption": [{"valueString": "a"}, {"valueString": "b"}],
             "item": [{"linkId": "why", "type": "string"}]}
            """)
        let task = try SurveyTask(form)
        var session = FormSession(form)
        session[all: "q"] = [.text("a"), .text("b")]
        let steps = task.steps(in: session)
        #expect(steps.map(\.identifier) == ["q", "q[1]"] && steps[1].text == "b")
        #expect(steps.map { $0.questions.map(\.identifier) } == [["q", "why"], ["q[1]/why"]])
    }

    @Test func stepsWithoutAnEnabledItemAreOmitted() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "g", "type": "group", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}],
             "item": [{"linkId": "b", "type": "string"}]}
            """)
        let task = try SurveyTask(form)
        var session = FormSession(form)
        #expect(task.steps.map(\.isConditional) == [false, true] && !task.isVisible(task.steps[1], in: session))
        #expect(task.steps(in: session).map(\.identifier) == ["a"])
        session["a"] = .yes()
        #expect(task.steps(in: session).map(\.identifier) == ["a", "g"] && task.isVisible(task.steps[1], in: session))
    }

    @Test func aTaskIsJSONInResearchKitsNames() throws {
        let task = try Tasks.task(
            """
            {"linkId": "g", "type": "group", "text": "G", "item": [
              {"linkId": "a", "type": "integer", "text": "A", "required": true, "extension": [
                {"url": "\(Tasks.core)minValue", "valueInteger": 0}]}]}
            """)
        #expect(
            task.json.text() == """
                {"identifier":"https://example.org/form","steps":[{"_class":"ORKFormStep","identifier":"g","title":"Form",\
                "text":"G","optional":false,"formItems":[{"identifier":"a","text":"A","optional":false,"answerFormat":\
                {"_class":"ORKNumericAnswerFormat","style":"integer","minimum":0}}]}]}
                """)
    }
}
