import FHIR
import FHIRValidation
import Foundation
import Questionnaires
import RecordStorage
import Warehouse

/// Checks the answers of devices against the published form that they reference, with the study's strictness.
struct AnswerValidation {
    let strictness: ValidationStrictness
    /// Whether C3-PRO's own form is accepted as published.
    let acceptsC3PRO: Bool

    /// A response with the form that it answers.
    struct Answered {
        /// nil for C3-PRO's own form, which no one publishes.
        let form: PublishedStudy.Form?
        /// Response with its questions moved into the form's groups.
        let response: QuestionnaireResponse
    }

    /// Finds the form of a response, moves the response's questions into the form's groups, and checks it. The
    /// reference may mean several versions, because it has no version or because a form was changed without a new one.
    /// Then the first version that the answers match is the form.
    ///
    /// - Throws: ``SubmissionProblem`` `form-unknown` if the study has never published such a form, or not this
    ///   version; the error of ``check(_:against:receivedAt:budget:)`` for the first version if the answers match none.
    func answered(
        _ response: QuestionnaireResponse, in published: PublishedStudy, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) -> Answered {
        var problem: SubmissionProblem?
        if let name = response.questionnaire {
            for form in published.candidates(name) {
                let arranged = form.rules.arranging(response)
                do throws(SubmissionProblem) {
                    try check(arranged, against: form.rules, receivedAt: receivedAt, budget: budget)
                    return Answered(form: form, response: arranged)
                } catch {
                    guard error.code == Self.invalid else { throw error }
                    problem = problem ?? error
                }
            }
            if let problem { throw problem }
            if acceptsC3PRO, ActivitySummaryForm.isNamed(by: name) { return Answered(form: nil, response: response) }
        }
        throw SubmissionProblem(
            "form-unknown", "The response names a form, or a version of one, that this study has never published.")
    }

    private static let invalid = "answers-invalid"

    /// Throws for wrong answers a ``SubmissionProblem`` `answers-invalid`, which contains problem codes and linkIds of
    /// the form and no answer; `too-expensive` if the budget is used up.
    ///
    /// - Parameter receivedAt: latest possible time of the answers, for limits such as today.
    func check(
        _ response: QuestionnaireResponse, against form: QuestionnaireForm, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) {
        let problems = try found(in: response, form, receivedAt: receivedAt, budget: budget)
            .filter(strictness.quarantines)
        guard !problems.isEmpty else { return }
        var entries: [String] = []
        for problem in problems {
            // A linkId that the form does not contain is arbitrary text of the sender.
            let entry =
                problem.linkID.flatMap { form.item($0) == nil ? nil : "\(problem.code) at \($0)" } ?? problem.code
            if !entries.contains(entry) { entries.append(entry) }
        }
        let more = entries.count > Self.shown ? " and \(entries.count - Self.shown) more" : ""
        throw SubmissionProblem(
            Self.invalid,
            "The answers do not match the form: \(entries.prefix(Self.shown).joined(separator: ", "))\(more).",
            issues: problems.prefix(RecordIssue.maximumCount + 1).map { Self.issue($0, form) })
    }

    /// Returns all problems of a response that is only validated, for the form that ``answered(_:in:receivedAt:budget:)``
    /// finds; none for an unknown form, which a write does not refuse. An error that does not refuse a write is a
    /// warning.
    ///
    /// - Throws: ``SubmissionProblem`` `too-expensive` if the budget is used up.
    func issues(
        of response: QuestionnaireResponse, in published: PublishedStudy, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) -> [RecordIssue] {
        guard let name = response.questionnaire else { return [] }
        var first: [RecordIssue]?
        for form in published.candidates(name) {
            let problems = try found(
                in: form.rules.arranging(response), form.rules, receivedAt: receivedAt, budget: budget)
            let issues = problems.filter { $0.severity != .information }
                .map { Self.issue($0, form.rules, severity: strictness.quarantines($0) ? .error : .warning) }
            if !problems.contains(where: strictness.quarantines) { return issues }
            first = first ?? issues
        }
        return first ?? []
    }

    private static func issue(
        _ problem: ResponseProblem, _ form: QuestionnaireForm, severity: IssueSeverity = .error
    ) -> RecordIssue {
        let location = problem.linkID.flatMap { form.item($0) == nil ? nil : " at \($0)" } ?? ""
        return RecordIssue(
            severity: severity, kind: .businessRule,
            coding: Coding(system: ValidationReport.system, code: problem.code), expression: problem.expression,
            message: "\(problem.code)\(location): \(problem.message)")
    }

    /// Returns the problems of the answers; none without validation.
    private func found(
        in response: QuestionnaireResponse, _ form: QuestionnaireForm, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) -> [ResponseProblem] {
        guard strictness != .none else { return [] }
        // Each answer is searched among its question's options.
        Self.charge(response.item, of: form, to: budget)
        do { try budget.check() } catch { throw SubmissionProblem(error.code, error.message) }
        let found = ResponseValidator(form, now: DateTime(receivedAt)).problems(in: response, budget: budget)
        do { try budget.check() } catch { throw SubmissionProblem(error.code, error.message) }
        return found
    }

    /// Maximum number of problems in the message.
    private static let shown = 10

    private static func charge(_ items: [QuestionnaireResponse.Item], of form: QuestionnaireForm, to budget: StepBudget)
    {
        for item in items {
            let options = item.linkId.flatMap { form.item($0)?.options?.count } ?? 0
            budget.spend(1 + item.answer.count * (1 + options))
            guard !budget.isExhausted else { return }
            charge(item.item, of: form, to: budget)
            for answer in item.answer { charge(answer.item, of: form, to: budget) }
        }
    }
}

extension ValidationStrictness {
    /// Codes of problems that do not depend on the values of the answers: items, and the types of their answers.
    private static let structuralProblems: Set<String> = [
        "answer-empty", "answer-malformed", "answer-type", "display-answered", "group-answered", "item-misplaced",
        "item-order", "item-repeated", "item-type-abstract", "link-id-missing", "link-id-unknown", "repeats",
        "response-malformed",
    ]

    /// A wrong display text refuses no answer: an app may translate it, and the code is the answer.
    func quarantines(_ problem: ResponseProblem) -> Bool {
        guard problem.code != "coding-display" else { return false }
        return switch self {
        case .none: false
        case .structure: problem.severity == .error && Self.structuralProblems.contains(problem.code)
        case .errors: problem.severity == .error
        case .warnings: problem.severity != .information
        }
    }
}
