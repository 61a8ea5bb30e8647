import FHIR
import FormRendering
import Questionnaires

/// The reason why a form cannot be a task.
public enum SurveyTaskError: CodedError, Hashable {
    /// The form has no items.
    case noItems

    public var code: String { "form-without-items" }

    public var message: String { "The form has no items, and a task needs questions." }
}

/// A form as a task of ResearchKit: steps with form items and answer formats, as values. `ResearchKitAdapter` makes
/// ResearchKit's objects of them.
///
/// ```swift
/// let task = try SurveyTask(QuestionnaireForm(questionnaire))
/// let response = try task.completedResponse(for: result, subject: "Patient/p1")
/// ```
/// 1. Each page of the form's plan (``Questionnaires/RenderPlan``) is a form step. Groups inside are sections. A photo is
///    a step of its own, which divides its page.
/// 2. The identifier of a step, row or result is the linkId. If an item repeats, that of each further repetition is its
///    path: `medication[1]/dose`.
/// 3. ``steps`` has each question once; if an item repeats, in its first repetition. ``steps(in:)`` has the repetitions
///    that a session has, and asks for more.
/// 4. Answers decide about rows and steps with conditions: ``isVisible(_:in:)-(SurveyStep,_)``.
public struct SurveyTask: Sendable {
    /// The form.
    public let form: QuestionnaireForm
    /// The identifier: the URL of the form, otherwise its id, or `form`.
    public let identifier: String
    /// The title of each step.
    public let title: String?
    /// The rules for the evaluation of conditions.
    public let rules: EnablementRules
    /// The values of launch contexts and variables, and the resolver of queries.
    public let context: FormContext
    /// All steps, whatever the answers are.
    public let steps: [SurveyStep]
    /// Returns the current time, for limits such as today.
    public let clock: @Sendable () -> DateTime
    /// The items by the identifier of their rows, where it is not a path.
    let paths: [String: ItemPath]

    /// The first characters of the identifier of a question for one more repetition.
    static let repetitionMark = "+"

    /// Creates the task of a form.
    ///
    /// - Parameters:
    ///   - title: the title of each step; that of the form by default.
    ///   - context: the values of launch contexts and variables, and the resolver of queries.
    ///   - clock: returns the current time; by default the system's.
    /// - Throws: ``SurveyTaskError/noItems`` if the form has no items.
    public init(
        _ form: QuestionnaireForm, title: String? = nil, rules: EnablementRules = EnablementRules(),
        context: FormContext = FormContext(), clock: @escaping @Sendable () -> DateTime = { .now() }
    ) throws(SurveyTaskError) {
        self.form = form
        self.title = title ?? form.questionnaire.title
        self.rules = rules
        self.clock = clock
        identifier = form.questionnaire.url ?? form.questionnaire.id ?? "form"
        self.context = context
        let session = FormSession(form, rules: rules, context: context, clock: clock)
        var builder = SurveyStepBuilder(form: form, title: self.title, offsetMinutes: clock().offsetMinutes ?? 0)
        steps = builder.steps(of: session, hasRepetitions: false)
        paths = builder.paths
        guard !form.items.isEmpty else { throw .noItems }
    }

    /// Returns the steps for a session: with the repetitions that it has, a question for one more after each, and the
    /// current texts and options. Steps without an enabled item are omitted.
    public func steps(in session: FormSession) -> [SurveyStep] {
        var builder = SurveyStepBuilder(
            form: form, title: title, offsetMinutes: session.clock().offsetMinutes ?? 0)
        return builder.steps(of: session, hasRepetitions: true).filter { isVisible($0, in: session) }
    }

    /// Returns whether a step is shown: it has an enabled item.
    public func isVisible(_ step: SurveyStep, in session: FormSession) -> Bool {
        !step.isConditional || step.paths.contains { session.isEnabled($0) }
    }

    /// Returns whether a row is shown: its item is enabled.
    public func isVisible(_ item: SurveyFormItem, in session: FormSession) -> Bool {
        !item.isConditional || session.isEnabled(item.path)
    }

    /// Whether a person can return to an earlier step.
    public var allowsBack: Bool { RenderPlan.EntryMode(of: form.questionnaire) != .sequential }
}
