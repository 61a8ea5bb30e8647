import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import ResearchKit
import ResearchKitForms
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// Ways through tasks: a task asks the questions that a session of the form enables, and its result gives the response of
/// that session.
@Suite struct WalkTests {
    /// Walks through a task with random answers, and now and then a step back.
    private func walk(
        _ survey: SurveyTask, through task: any ORKTask, using generator: inout Seeded, label: String
    ) {
        var walker = SurveyWalker(survey, task)
        var backs = 0
        for _ in 0..<500 {
            guard walker.walk.currentStep != nil else { break }
            let problems = walker.answer(chance: 80, using: &generator)
            #expect(problems.isEmpty, "\(label): \(problems)")
            if backs < 2, generator.chance(10), walker.goBackward() { backs += 1 } else { walker.walk.goForward() }
        }
        #expect(walker.walk.currentStep == nil, "\(label): the task does not end")
        let expected = walker.session.entries().filter { entry in
            entry.item.isQuestion && !entry.item.isReadOnly && entry.path.steps.allSatisfy { $0.instance == 0 }
        }
        // Items below further answers of one question are asked by FormTask only; it is not random here.
        let asked = Set(walker.asked)
        for entry in expected where backs == 0 { #expect(asked.contains(entry.path), "\(label): \(entry.path)") }
        let (response, problems) = survey.response(for: SurveyResult(walker.walk.result))
        if backs == 0 {
            let (found, expected) = (response["item"]?.text(), walker.session.response()["item"]?.text())
            #expect(found == expected, "\(label)")
        }
        #expect(problems.errors.allSatisfy { $0 == "required" || $0 == "min-occurs" }, "\(label): \(problems.errors)")
    }

    @Test func aNavigableTaskVisitsWhatTheSessionEnables() throws {
        let seed = Seeded.newSeed()
        for round in 0..<400 {
            var generator = Seeded(seed &+ UInt64(round))
            guard let survey = try? SurveyTask(RandomForm(using: &generator).form) else { continue }
            walk(
                survey, through: ORKNavigableOrderedTask(survey), using: &generator,
                label: "seed \(seed) round \(round)")
        }
    }

    @Test func aFormTaskVisitsWhatTheSessionEnables() throws {
        let seed = Seeded.newSeed()
        for round in 0..<150 {
            var generator = Seeded(seed &+ UInt64(round))
            guard let survey = try? SurveyTask(RandomForm(using: &generator).form) else { continue }
            walk(survey, through: FormTask(survey), using: &generator, label: "seed \(seed) round \(round)")
        }
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func aWalkThroughEveryPublishedFormEnds() throws {
        let seed = Seeded.newSeed()
        for (index, name) in try Published.forms().enumerated() {
            var generator = Seeded(seed &+ UInt64(index))
            guard let survey = try? SurveyTask(try Published.form(name)) else { continue }
            for task in [ORKNavigableOrderedTask(survey), FormTask(survey)] as [any ORKTask] {
                let exceptions = ResearchKitExceptions.exceptions {
                    var walker = SurveyWalker(survey, task)
                    for _ in 0..<1_000 where walker.walk.currentStep != nil {
                        let problems = walker.answer(chance: 50, using: &generator)
                        #expect(problems.isEmpty, "\(name) seed \(seed): \(problems)")
                        walker.walk.goForward()
                    }
                    #expect(walker.walk.currentStep == nil, "\(name)")
                }
                #expect(exceptions.isEmpty, "\(name): \(exceptions)")
            }
        }
    }

    // MARK: Navigation of the original that is wrong

    private func survey(_ items: String) throws -> SurveyTask { try SurveyTask(try form(items)) }

    private func boolean(_ identifier: String, _ value: Bool) -> ORKResult {
        let result = ORKBooleanQuestionResult(identifier: identifier)
        result.booleanAnswer = NSNumber(value: value)
        return result
    }

    private func text(_ identifier: String, _ value: String) -> ORKResult {
        let result = ORKTextQuestionResult(identifier: identifier)
        result.textAnswer = value
        return result
    }

    private static let when = #""enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]"#

    /// The original sets a rule for a step that does not exist.
    @Test func aConditionOnAQuestionInAGroupIsARuleOfItsRow() throws {
        let survey = try survey(
            """
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "string", \(Self.when)}]}
            """)
        let walk = TaskWalk(ORKNavigableOrderedTask(survey))
        #expect(walk.visibleItems.map(\.identifier) == ["a"])
        walk.answer(boolean("a", true))
        #expect(walk.visibleItems.map(\.identifier) == ["a", "b"])
        walk.answer(text("b", "x"))
        walk.answer(boolean("a", false))
        walk.goForward()
        #expect(walk.result.results?.count == 1 && walk.result.fhirResponse["item"]?.array?.count == 1)
    }

    @Test func aConditionOnAGroupSkipsItsStep() throws {
        let survey = try survey(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "g", "type": "group", \(Self.when), "item": [{"linkId": "b", "type": "string"}]},
            {"linkId": "c", "type": "string"}
            """)
        for (value, steps) in [(true, ["a", "g", "c"]), (false, ["a", "c"])] {
            let walk = TaskWalk(ORKNavigableOrderedTask(survey))
            var visited: [String] = []
            while let step = walk.currentStep {
                visited.append(step.identifier)
                if step.identifier == "a" { walk.answer(boolean("a", value)) }
                walk.goForward()
            }
            #expect(visited == steps)
        }
    }

    /// The original cannot build a task with a condition on a string, time, quantity or reference, and not with every
    /// operator.
    @Test(arguments: [
        ("string", "=", #""answerString": "t""#), ("string", "!=", #""answerString": "t""#),
        ("time", ">", #""answerTime": "08:00:00""#), ("dateTime", "<", #""answerDateTime": "2026-01-01T00:00:00Z""#),
        ("date", "=", #""answerDate": "2026-01-01""#), ("date", "!=", #""answerDate": "2026-01-01""#),
        ("quantity", ">", #""answerQuantity": {"value": 1}"#), ("integer", "exists", #""answerBoolean": true"#),
        ("reference", "=", #""answerReference": {"reference": "Patient/1"}"#),
        ("choice", "exists", #""answerBoolean": false"#), ("choice", "!=", #""answerCoding": {"code": "c"}"#),
    ])
    func everyConditionBuildsATask(type: String, operation: String, value: String) throws {
        let survey = try survey(
            """
            {"linkId": "a", "type": "\(type)"},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "\(operation)", \(value)}]}
            """)
        let task = ORKNavigableOrderedTask(survey)
        #expect(task.skipNavigationRule(forStepIdentifier: "b") != nil)
        let shown = TaskWalk(task)
        shown.goForward()
        // Without an answer, != is fulfilled, and so is exists = false.
        let isShown = operation == "!=" || (operation == "exists" && value.hasSuffix("false"))
        #expect((shown.currentStep?.identifier == "b") == isShown)
    }

    /// In the original a skipped parent question does not skip the questions below it.
    @Test func questionsBelowASkippedQuestionAreSkipped() throws {
        let survey = try survey(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "p", "type": "string", \(Self.when), "item": [{"linkId": "c", "type": "string"}]}
            """)
        let walk = TaskWalk(ORKNavigableOrderedTask(survey))
        walk.answer(boolean("a", false))
        walk.goForward()
        #expect(walk.currentStep == nil)
    }

    /// In the original a condition that the source exists, or differs, is true for a question that was not asked.
    @Test func aQuestionThatWasNotAskedHasNoAnswer() throws {
        let survey = try survey(
            """
            {"linkId": "a", "type": "boolean"}, {"linkId": "s", "type": "integer", \(Self.when)},
            {"linkId": "e", "type": "string", "enableWhen": [{"question": "s", "operator": "exists", "answerBoolean": true}]},
            {"linkId": "n", "type": "string", "enableWhen": [{"question": "s", "operator": "exists", "answerBoolean": false}]}
            """)
        let walk = TaskWalk(ORKNavigableOrderedTask(survey))
        walk.answer(boolean("a", false))
        walk.goForward()
        #expect(walk.currentStep?.identifier == "n")
    }

    /// In the original, != of a boolean is false for a question that was not asked, and true for other types.
    @Test(arguments: [("boolean", "Boolean", "true"), ("integer", "Integer", "1")])
    func aQuestionThatWasNotAskedDiffersFromAnyValue(type: String, value: String, answer: String) throws {
        let survey = try survey(
            """
            {"linkId": "a", "type": "boolean"}, {"linkId": "s", "type": "\(type)", \(Self.when)},
            {"linkId": "n", "type": "string", "enableWhen": [
              {"question": "s", "operator": "!=", "answer\(value)": \(answer)}]}
            """)
        let walk = TaskWalk(ORKNavigableOrderedTask(survey))
        walk.answer(boolean("a", false))
        walk.goForward()
        #expect(walk.currentStep?.identifier == "n")
    }

    @Test func anEnableBehaviorIsFollowed() throws {
        for (behavior, isShown) in [("any", true), ("all", false)] {
            let survey = try survey(
                """
                {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "boolean"},
                {"linkId": "c", "type": "string", "enableBehavior": "\(behavior)", "enableWhen": [
                  {"question": "a", "operator": "=", "answerBoolean": true},
                  {"question": "b", "operator": "=", "answerBoolean": true}]}
                """)
            let walk = TaskWalk(ORKNavigableOrderedTask(survey))
            walk.answer(boolean("a", true))
            walk.goForward()
            walk.answer(boolean("b", false))
            walk.goForward()
            #expect((walk.currentStep?.identifier == "c") == isShown)
        }
    }
}
