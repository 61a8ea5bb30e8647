import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import ResearchKit
import ResearchKitForms
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// A person who walks through a task and gives random answers, and a session that gets the same answers: they must ask the
/// same questions.
struct SurveyWalker {
    let survey: SurveyTask
    let walk: TaskWalk
    /// The session with the same answers.
    var session: FormSession
    /// The paths of the questions that the task has asked.
    var asked: [ItemPath] = []
    private var rows: [String: SurveyFormItem] = [:]
    /// The answers by the identifiers of their rows.
    private var given: [String: [AnswerValue]] = [:]

    init(_ survey: SurveyTask, _ task: any ORKTask) {
        self.survey = survey
        walk = TaskWalk(task)
        session = FormSession(survey.form, rules: survey.rules)
        session.clock = survey.clock
    }

    /// Answers all questions of the current step.
    ///
    /// - Returns: the differences between the visible rows and the enabled questions.
    mutating func answer(chance: Int, using generator: inout Seeded) -> [String] {
        guard let step = walk.currentStep as? ORKFormStep else { return [] }
        for row in (survey.steps + survey.steps(in: session)).flatMap(\.questions) { rows[row.identifier] = row }
        var problems: [String] = []
        var done: Set<String> = []
        // An answer can make further rows of the same step visible.
        while let item = walk.visibleItems.first(where: { $0.answerFormat != nil && !done.contains($0.identifier) }) {
            done.insert(item.identifier)
            guard let row = rows[item.identifier], let question = survey.form.item(row.linkID) else {
                problems.append("\(item.identifier) is no row")
                continue
            }
            if item.identifier.hasPrefix("+") { continue }
            if !session.isEnabled(row.path) { problems.append("\(row.path) is visible and not enabled") }
            asked.append(row.path)
            // The session drops the items below an answer that is replaced; the results of a step keep theirs.
            if given[item.identifier] != nil, question.repeats, !question.children.isEmpty { continue }
            guard generator.chance(chance), let (result, values) = Self.answer(item, question, using: &generator) else {
                continue
            }
            walk.answer(result)
            session.setAnswers(values, at: row.path)
            given[item.identifier] = values
        }
        // Rows that an answer has hidden again lose their results; the session treats their answers as absent.
        let visible = Set(walk.visibleItems.map(\.identifier))
        for item in step.formItems ?? [] where item.answerFormat != nil && !item.identifier.hasPrefix("+") {
            guard let row = rows[item.identifier] else { continue }
            if session.isEnabled(row.path) != visible.contains(item.identifier) {
                problems.append("\(row.path) is \(visible.contains(item.identifier) ? "" : "not ")visible")
            }
        }
        return problems
    }

    /// Returns to the step before. The results of later steps are gone, and so are their answers in the session.
    ///
    /// - Returns: false if there is none.
    mutating func goBackward() -> Bool {
        guard walk.goBackward() else { return false }
        let kept = Set((walk.result.results ?? []).flatMap { ($0 as? ORKStepResult)?.results ?? [] }.map(\.identifier))
        // Items below an answer first: without the answer they have no path.
        let gone = given.keys.filter { !kept.contains($0) }.compactMap { rows[$0] }
        for row in gone.sorted(by: { $0.path.steps.count > $1.path.steps.count }) {
            given[row.identifier] = nil
            session.setAnswers([], at: row.path)
        }
        return true
    }

    /// Returns a random result of a row, and its answers in the form.
    private static func answer(
        _ row: ORKFormItem, _ question: FormItem, using generator: inout Seeded
    ) -> (ORKResult, [AnswerValue])? {
        let number = Int.random(in: 1...3, using: &generator)
        switch row.answerFormat {
        case is ORKBooleanAnswerFormat:
            let result = ORKBooleanQuestionResult(identifier: row.identifier)
            result.booleanAnswer = NSNumber(value: number == 1)
            return (result, [.yes(number == 1)])
        case let format as ORKTextChoiceAnswerFormat:
            let options = question.options ?? []
            let result = ORKChoiceQuestionResult(identifier: row.identifier)
            // Items below a further answer have steps after the page, and can enable rows of it; FormTaskTests has those.
            let isSeveral = format.style == .multipleChoice && question.children.isEmpty
            let count = isSeveral ? Int.random(in: 1...2, using: &generator) : 1
            let chosen = Array(options.indices.shuffled(using: &generator).prefix(count))
            if chosen.isEmpty { return nil }
            if question.type == .openChoice, generator.chance(30) {
                result.choiceAnswers = [NSString(string: "own words")]
                return (result, [.text("own words")])
            }
            result.choiceAnswers = chosen.map { format.textChoices[$0].value }
            return (result, chosen.map { options[$0].value })
        case let format as ORKNumericAnswerFormat:
            let result = ORKNumericQuestionResult(identifier: row.identifier)
            result.numericAnswer = NSNumber(value: number)
            return (result, [format.style == .integer ? .integer(number) : .decimal(number)])
        case is ORKTextAnswerFormat:
            let result = ORKTextQuestionResult(identifier: row.identifier)
            result.textAnswer = "t\(number)"
            return (result, [.text("t\(number)")])
        default: return nil
        }
    }
}
