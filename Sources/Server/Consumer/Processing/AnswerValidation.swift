import FHIR
import FHIRValidation
import Foundation
import Questionnaires
import Records
import Warehouse

/// Checks the answers that devices send against the published form that they name, as strictly as the study wants it.
struct AnswerValidation {
    let strictness: ValidationStrictness
    /// Whether C3-PRO's own form counts as published.
    let acceptsC3PRO: Bool

    /// A response with the form that it answers.
    struct Answered {
        /// nil where it is C3-PRO's own, which nobody publishes.
        let form: PublishedStudy.Form?
        /// The response with its questions in the form's groups.
        let response: QuestionnaireResponse
    }

    /// Finds the form that a response answers, lays the response in the form's groups, and checks it. Of several versions that the
    /// name may mean, because it has no version or because a form was changed without a new one, the first that the answers
    /// fit is the form.
    ///
    /// - Throws: ``SubmissionProblem`` `form-unknown` where the study has never published such a form, or not this version; what
    ///   ``check(_:against:receivedAt:budget:)`` throws for the first version where the answers fit none.
    func answered(
        _ response: QuestionnaireResponse, in published: PublishedStudy, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) -> Answered {
        var problem: SubmissionProblem?
        if let name = response.questionnaire {
            for form in published.candidates(name) {
                let placed = form.rules.placing(response)
                do throws(SubmissionProblem) {
                    try check(placed, against: form.rules, receivedAt: receivedAt, budget: budget)
                    return Answered(form: form, response: placed)
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

    /// Throws where an answer is wrong: a ``SubmissionProblem`` `answers-invalid`, which holds the codes of what is wrong
    /// and the form's own linkIds and no answer; `too-expensive` where the budget is used up.
    ///
    /// - Parameter receivedAt: the latest moment at which it can have been answered, for limits such as today.
    func check(
        _ response: QuestionnaireResponse, against form: QuestionnaireForm, receivedAt: Date, budget: StepBudget
    ) throws(SubmissionProblem) {
        guard strictness != .none else { return }
        // Each answer is looked for among its question's options.
        Self.charge(response.item, of: form, to: budget)
        do { try budget.check() } catch { throw SubmissionProblem(error.code, error.message) }
        let problems = ResponseValidator(form, now: DateTime(receivedAt)).problems(in: response)
            .filter(strictness.quarantines)
        guard !problems.isEmpty else { return }
        var places: [String] = []
        for problem in problems {
            // A linkId that the form does not have is the sender's own text.
            let place =
                problem.linkID.flatMap { form.item($0) == nil ? nil : "\(problem.code) at \($0)" } ?? problem.code
            if !places.contains(place) { places.append(place) }
        }
        let more = places.count > Self.shown ? " and \(places.count - Self.shown) more" : ""
        throw SubmissionProblem(
            Self.invalid,
            "The answers are not those that the form takes: \(places.prefix(Self.shown).joined(separator: ", "))\(more).",
            issues: problems.prefix(RecordIssue.maximumCount + 1).map { problem in
                let place = problem.linkID.flatMap { form.item($0) == nil ? nil : " at \($0)" } ?? ""
                return RecordIssue(
                    kind: .businessRule, coding: Coding(system: ValidationReport.system, code: problem.code),
                    expression: problem.expression, message: "\(problem.code)\(place): \(problem.message)")
            })
    }

    /// How many places are told.
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
    /// The codes of what is wrong with a response whatever is answered: its items, and the types of their answers.
    private static let structuralProblems: Set<String> = [
        "answer-empty", "answer-malformed", "answer-type", "display-answered", "group-answered", "item-misplaced",
        "item-order", "item-repeated", "item-type-abstract", "link-id-missing", "link-id-unknown", "repeats",
        "response-malformed",
    ]

    func quarantines(_ problem: ResponseProblem) -> Bool {
        switch self {
        case .none: false
        case .structure: problem.severity == .error && Self.structuralProblems.contains(problem.code)
        case .errors: problem.severity == .error
        case .warnings: problem.severity != .information
        }
    }
}
