import FHIR
import Foundation

/// Checks a response against its form (<https://hl7.org/fhir/uv/sdc/validation.html>).
///
/// In a response in progress, missing required answers and wrong numbers of answers are warnings; the answers that it
/// contains must be valid. The form's expressions are evaluated at the time of authoring: an answer that people cannot
/// change must be the calculated one. Value sets that are not available are not checked.
public struct ResponseValidator: Sendable {
    /// The form of the responses.
    public let form: QuestionnaireForm
    /// The rules for the evaluation of conditions.
    public let rules: EnablementRules
    /// The data that expressions read in addition to the answers. Expressions that read others are undecided.
    public let context: FormContext
    /// The current time, for limits such as today. If a response contains its time of authoring and that is not in the
    /// future, it is used instead.
    public let now: DateTime

    /// Creates a validator for responses to one form.
    public init(
        _ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), context: FormContext = FormContext(),
        now: DateTime = .now()
    ) {
        self.form = form
        self.rules = rules
        self.context = context
        self.now = now
    }

    /// Returns all problems: of the response as a whole, then of its structure, then of its answers.
    public func problems(in response: QuestionnaireResponse) -> [ResponseProblem] {
        problems(in: response, budget: StepBudget(steps: SessionState.maximumSteps))
    }

    /// Returns all problems, and takes the steps of the form's expressions from a budget. If the budget is exhausted,
    /// the problems are incomplete.
    public func problems(in response: QuestionnaireResponse, budget: StepBudget) -> [ResponseProblem] {
        let isUnfinished = ResponseCheck.isUnfinished(response.status)
        let authored = response.authored.flatMap { $0.start() <= now.start() ? $0 : nil }
        var reader = ResponseReader(
            SessionState(form, rules: rules, context: context, isChecked: true, moment: authored ?? now))
        reader.state.take(headerOf: response)
        reader.read(response)
        reader.state.settle(at: authored ?? now, budget: budget)
        var check = ResponseCheck(isUnfinished: isUnfinished)
        check.about(form, response)
        let structure = reader.problems.map { problem in
            isUnfinished && problem.code == "repeats" ? problem.downgraded : problem
        }
        return check.problems + structure
            + reader.state.checkedProblems(isUnfinished: isUnfinished, budget: budget)
    }
}

extension SessionState {
    /// Takes the elements of a response other than its items.
    fileprivate mutating func take(headerOf response: QuestionnaireResponse) {
        var object = response.object
        object["item"] = nil
        header = object
    }
}

extension ResponseProblem {
    fileprivate var downgraded: ResponseProblem {
        ResponseProblem(code: code, severity: .warning, expression: expression, linkID: linkID, sentence: sentence)
    }
}

/// Checks a response and its form as a whole.
struct ResponseCheck {
    let isUnfinished: Bool
    private(set) var problems: [ResponseProblem] = []

    init(isUnfinished: Bool) { self.isUnfinished = isUnfinished }

    /// Whether a response with the status may lack answers.
    static func isUnfinished(_ status: QuestionnaireAnswersStatus?) -> Bool {
        [.inProgress, .stopped, .enteredInError].contains(status)
    }

    private mutating func report(
        _ code: String, severity: FormProblem.Severity = .error, at expression: String, linkID: String?,
        message: Sentence
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: expression, linkID: linkID, sentence: message))
    }

    /// Checks the response and the form as a whole.
    mutating func about(_ form: QuestionnaireForm, _ response: QuestionnaireResponse) {
        let root = "QuestionnaireResponse"
        named(response.questionnaire, form.questionnaire)
        switch form.questionnaire.status {
        case .draft:
            report("questionnaire-draft", severity: .warning, at: root, linkID: nil, message: "The form is a draft.")
        case .retired:
            report("questionnaire-retired", severity: .warning, at: root, linkID: nil, message: "The form is retired.")
        default: break
        }
        if let period = form.questionnaire.effectivePeriod, let authored = response.authored {
            let isEarly = period.start.map { authored.end() <= $0.start() } ?? false
            let isLate = period.end.map { authored.start() >= $0.end() } ?? false
            if isEarly || isLate {
                report(
                    "questionnaire-inactive", severity: .warning, at: root, linkID: nil,
                    message: "The form was not in use when it was answered.")
            }
        }
    }

    /// Checks the form in the response: its canonical URL or, as in some apps, a reference with its id.
    private mutating func named(_ name: String?, _ questionnaire: Questionnaire) {
        let path = "QuestionnaireResponse.questionnaire"
        guard let name else { return }
        let canonical = CanonicalURL(name)
        guard questionnaire.isNamed(by: canonical) else {
            if questionnaire.url != nil || questionnaire.id != nil {
                // Only a canonical URL proves that it is another form.
                let isCertain = questionnaire.url != nil && name.contains(":")
                report(
                    "questionnaire-other", severity: isCertain ? .error : .warning, at: path, linkID: nil,
                    message: "The response is for another form.")
            }
            return
        }
        if let version = questionnaire.version, let asked = canonical.version, asked != version {
            report(
                "questionnaire-version", severity: .warning, at: path, linkID: nil,
                message: "The response is for another version of the form.")
        }
    }
}
