import FHIR
import Foundation
import Questionnaires

/// An answer that an app's own kind of question has made, instead of one of ResearchKit's results.
public typealias SurveyCustomAnswers = (_ result: SurveyResult, _ item: FormItem) -> [AnswerValue]?

extension SurveyTask {
    /// The session of a result, and the results that could not be entered.
    public struct Reading: Sendable {
        /// The session with the answers.
        public internal(set) var session: FormSession
        /// The problems. The expression is the location of the result, such as `$.results[1].results[0]`.
        public internal(set) var problems: [ResponseProblem]
    }

    /// Enters the answers of a task result into a session.
    ///
    /// - Questions that the result does not have keep their answers; those without an answer in it have none.
    /// - Repetitions that the person has begun exist, with and without answers.
    ///
    /// - Parameters:
    ///   - base: a session to continue, for instance of an earlier response; nil for the form's initial values.
    ///   - file: returns the content of a file of the result.
    ///   - custom: returns the answers of an app's own kinds of questions; nil for all others.
    public func reading(
        _ result: SurveyResult, base: FormSession? = nil, file: @escaping (SurveyFile) -> Data? = { _ in nil },
        custom: @escaping SurveyCustomAnswers = { _, _ in nil }
    ) -> Reading {
        // Limits and expressions have the time of the result.
        let moment = result.endDate ?? clock()
        var session = base ?? FormSession(form, rules: rules, context: context, clock: { moment })
        session.clock = { moment }
        var collected = SurveyAnswerCollection(task: self, session: session, file: file, custom: custom)
        collected.add(result)
        for path in collected.declined { session.removeGroups(from: path) }
        let refused = session.setAnswers(collected.answers, beginning: collected.begun)
        var problems = collected.problems
        for index in refused where !collected.answers[index].values.isEmpty {
            let (path, _) = collected.answers[index]
            problems.append(
                ResponseProblem(
                    code: "parent-unanswered", severity: .warning, expression: path.description,
                    linkID: path.steps.last?.linkID,
                    sentence: "The question above this item has no such answer, so its answer is omitted."))
        }
        return Reading(session: session, problems: problems)
    }
}

/// The answers of a result by their paths.
private struct SurveyAnswerCollection {
    let task: SurveyTask
    let session: FormSession
    let file: (SurveyFile) -> Data?
    let custom: SurveyCustomAnswers
    private(set) var answers: [(path: ItemPath, values: [AnswerValue])] = []
    private(set) var problems: [ResponseProblem] = []
    /// The repetitions that the person has begun.
    private(set) var begun: [ItemPath] = []
    /// The repetitions that the person did not want.
    private(set) var declined: Set<ItemPath> = []
    private var indexes: [ItemPath: Int] = [:]

    init(
        task: SurveyTask, session: FormSession, file: @escaping (SurveyFile) -> Data?,
        custom: @escaping SurveyCustomAnswers
    ) {
        self.task = task
        self.session = session
        self.file = file
        self.custom = custom
    }

    mutating func add(_ result: SurveyResult) {
        var found: [(result: SurveyResult, location: String)] = []
        for (index, step) in result.results.enumerated() {
            let results = step.results
            // A photo's step can be its own result.
            if results.isEmpty, step["results"] == nil { found.append((step, "$.results[\(index)]")) }
            for (number, inner) in results.enumerated() {
                found.append((inner, "$.results[\(index)].results[\(number)]"))
            }
        }
        for (result, location) in found { repetition(result, location) }
        for (result, location) in found { answer(result, location) }
    }

    /// Stores the answer to a question for one more repetition.
    private mutating func repetition(_ result: SurveyResult, _ location: String) {
        guard let path = path(ofRepetition: result.identifier) else { return }
        let isWanted = result["booleanAnswer"].map { $0.bool ?? ($0.number?.double != 0) } ?? false
        if isWanted { begun.append(path) } else { declined.insert(path) }
    }

    private func path(ofRepetition identifier: String) -> ItemPath? {
        guard identifier.hasPrefix(SurveyTask.repetitionMark),
            let found = task.form.located(String(identifier.dropFirst(SurveyTask.repetitionMark.count)))
        else { return nil }
        var path = found.path
        path.steps[path.steps.count - 1].instance = found.instance ?? 0
        return path
    }

    private mutating func answer(_ result: SurveyResult, _ location: String) {
        let identifier = result.identifier
        if path(ofRepetition: identifier) != nil { return }
        let own = task.paths[identifier].map { ($0, $0.steps.last.map { $0.instance } ?? 0) }
        let found = task.form.located(identifier).map { ($0.path, $0.instance ?? 0) }
        guard let (path, instance) = own ?? found, let item = path.steps.last.flatMap({ task.form.item($0.linkID) }),
            item.isQuestion
        else {
            report("link-id-unknown", at: location, linkID: nil, "The form has no question of this identifier.")
            return
        }
        var whole = path
        whole.steps[whole.steps.count - 1].instance = instance
        if whole.steps.indices.contains(where: { declined.contains(ItemPath(Array(whole.steps[...$0]))) }) { return }
        var question = path
        question.steps[question.steps.count - 1].instance = 0
        let options = session.currentOptions(of: item, at: question).map(\.value)
        let values: [AnswerValue]
        do throws(SurveyAnswerProblem) {
            if let own = custom(result, item) {
                values = own
            } else {
                values = try SurveyAnswerReader(item: item, options: options, file: file).answers(of: result)
            }
        } catch {
            report(error.reason.rawValue, at: location, linkID: item.linkID, error.sentence)
            return
        }
        if let index = indexes[question] {
            // Further answers of a question that repeats have results of their own.
            if instance > 0 { answers[index].values += values } else { answers[index].values = values }
        } else {
            indexes[question] = answers.count
            answers.append((question, values))
        }
    }

    private mutating func report(_ code: String, at location: String, linkID: String?, _ sentence: Sentence) {
        problems.append(
            ResponseProblem(code: code, severity: .warning, expression: location, linkID: linkID, sentence: sentence))
    }
}
