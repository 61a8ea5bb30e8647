import FHIR
import Foundation

/// Checks a response against its form (<https://hl7.org/fhir/uv/sdc/validation.html>).
///
/// In a response in progress, missing required answers and wrong numbers of answers are warnings; the answers that it
/// contains must be valid. Expressions, and value sets that are not available, are not checked.
public struct ResponseValidator: Sendable {
    /// The form of the responses.
    public let form: QuestionnaireForm
    /// The rules for the evaluation of conditions.
    public let rules: EnablementRules
    /// The current time, for limits such as today. If a response contains its time of authoring and that is not in the
    /// future, it is used instead.
    public let now: DateTime

    /// Creates a validator for responses to one form.
    public init(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), now: DateTime = .now()) {
        self.form = form
        self.rules = rules
        self.now = now
    }

    /// Returns all problems: of the response as a whole, then of its structure, then of its answers.
    public func problems(in response: QuestionnaireResponse) -> [ResponseProblem] {
        var reader = ResponseReader(form: form)
        let session = FormSession(form, rules: rules, root: reader.read(response))
        let isUnfinished = [.inProgress, .stopped, .enteredInError].contains(response.status)
        let authored = response.authored.flatMap { $0.start() <= now.start() ? $0 : nil }
        var check = ResponseCheck(isUnfinished: isUnfinished, moment: authored ?? now)
        check.about(form, response)
        let whole = check.problems.count
        check.items(session.root, at: "QuestionnaireResponse")
        let structure = reader.problems.map { problem in
            isUnfinished && problem.code == "repeats" ? problem.downgraded : problem
        }
        return check.problems[..<whole] + structure + check.problems[whole...]
    }
}

extension ResponseProblem {
    fileprivate var downgraded: ResponseProblem {
        ResponseProblem(code: code, severity: .warning, expression: expression, linkID: linkID, message: message)
    }
}

/// Checks a response that was matched with its form.
private struct ResponseCheck {
    let isUnfinished: Bool
    /// The time of the answers.
    let moment: DateTime
    private(set) var problems: [ResponseProblem] = []

    init(isUnfinished: Bool, moment: DateTime) {
        self.isUnfinished = isUnfinished
        self.moment = moment
    }

    private mutating func report(
        _ code: String, severity: FormProblem.Severity = .error, at expression: String, linkID: String?,
        message: String
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: expression, linkID: linkID, message: message))
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

    mutating func items(_ states: [ItemState], at parent: String) {
        for state in states { item(state, at: parent) }
    }

    private mutating func item(_ state: ItemState, at parent: String) {
        let item = state.item
        let here = state.expression ?? parent
        guard state.isEnabled else {
            if state.hasAnswers {
                report(
                    "not-enabled", severity: .error, at: here, linkID: item.linkID,
                    message: "The item is not enabled and must have no answer.")
            }
            return
        }
        // If an expression decides about the enablement, it is unknown whether an answer is missing.
        let missing: FormProblem.Severity = isUnfinished || item.enablementIsOpen ? .warning : .error
        let tooMany: FormProblem.Severity = isUnfinished ? .warning : .error
        switch item.type {
        case .display: break
        case .group:
            // A required group needs an answer inside; without a required group, its required questions need no
            // answers.
            if item.isRequired, !state.groups.contains(where: \.hasAnswers) {
                report(
                    "required", severity: missing, at: here, linkID: item.linkID,
                    message: "At least one question of this group needs an answer.")
            }
            occurrences(state.groups.count, of: state, at: here, missing: missing, tooMany: tooMany)
            for group in state.groups { items(group.children, at: group.expression ?? here) }
        default:
            if item.isRequired, state.answers.isEmpty {
                report(
                    "required", severity: missing, at: here, linkID: item.linkID,
                    message: "The question needs an answer.")
            }
            if state.answers.count > 1, !item.repeats {
                report(
                    "repeats", severity: tooMany, at: here, linkID: item.linkID,
                    message: "The question takes one answer.")
            }
            occurrences(state.answers.count, of: state, at: here, missing: missing, tooMany: tooMany)
            exclusive(state, here)
            for answer in state.answers {
                let path = answer.expression ?? here
                for finding in AnswerCheck.findings(of: answer.value, for: item, at: moment) {
                    report(
                        finding.code, severity: finding.severity, at: path, linkID: item.linkID,
                        message: finding.message)
                }
                items(answer.children, at: path)
            }
        }
    }

    /// Checks the number of answers or instances. An absent item that is not required has no minimum.
    private mutating func occurrences(
        _ count: Int, of state: ItemState, at here: String, missing: FormProblem.Severity,
        tooMany: FormProblem.Severity
    ) {
        let limits = state.item.limits
        let isThere = state.item.isRequired || state.expression != nil
        if let minimum = limits.minOccurs, count < minimum, isThere {
            report(
                "min-occurs", severity: missing, at: here, linkID: state.item.linkID,
                message: "At least \(minimum) are required.")
        }
        if let maximum = limits.maxOccurs, count > maximum {
            report(
                "max-occurs", severity: tooMany, at: here, linkID: state.item.linkID,
                message: "The maximum is \(maximum).")
        }
    }

    private mutating func exclusive(_ state: ItemState, _ here: String) {
        guard state.answers.count > 1, let options = state.item.options else { return }
        let exclusive = options.filter(\.isExclusive)
        if state.answers.contains(where: { answer in exclusive.contains { answer.value.equals($0.value) } }) {
            report(
                "option-exclusive", severity: .error, at: here, linkID: state.item.linkID,
                message: "One of the chosen answers excludes all others.")
        }
    }
}
