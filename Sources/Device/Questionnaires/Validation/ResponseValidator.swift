import FHIR
import Foundation

/// Checks a response against its form (<https://hl7.org/fhir/uv/sdc/validation.html>).
///
/// What a response in progress may still lack — required answers, numbers of answers — is a warning there; what it
/// holds must be right all the same.
public struct ResponseValidator: Sendable {
    public let form: Form
    public let rules: EnablementRules

    public init(_ form: Form, rules: EnablementRules = EnablementRules()) {
        self.form = form
        self.rules = rules
    }

    /// All problems, in the order of the response.
    public func problems(in response: QuestionnaireResponse) -> [ResponseProblem] {
        var reader = ResponseReader(form: form)
        let root = reader.read(response)
        let session = FormSession(form, rules: rules, root: root)
        let isInProgress = response.status == "in-progress"
        var check = ResponseCheck(isInProgress: isInProgress)
        check.about(form, response)
        check.items(session.root, at: "QuestionnaireResponse")
        let order = Dictionary(
            reader.problems.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let structural = reader.problems.sorted { (order[$0] ?? 0) < (order[$1] ?? 0) }.map { problem in
            isInProgress && problem.code == "repeats" ? problem.downgraded : problem
        }
        return check.problems.filter { $0.linkID == nil } + structural + check.problems.filter { $0.linkID != nil }
    }
}

extension ResponseProblem {
    var downgraded: ResponseProblem {
        ResponseProblem(code: code, severity: .warning, expression: expression, linkID: linkID, message: message)
    }
}

/// The walk over a response that was laid over its form.
private struct ResponseCheck {
    let isInProgress: Bool
    private(set) var problems: [ResponseProblem] = []

    init(isInProgress: Bool) { self.isInProgress = isInProgress }

    private mutating func report(
        _ code: String, _ severity: FormProblem.Severity = .error, _ expression: String, _ linkID: String?,
        _ message: String
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: expression, linkID: linkID, message: message))
    }

    /// The response and the form as a whole.
    mutating func about(_ form: Form, _ response: QuestionnaireResponse) {
        let root = "QuestionnaireResponse"
        if let named = response.questionnaire {
            let parts = named.split(separator: "|", maxSplits: 1).map(String.init)
            let url = form.questionnaire.url
            let id = parts.first?.split(separator: "/").last.map(String.init)
            let isSame = url == nil ? id == form.questionnaire.id || form.questionnaire.id == nil : parts.first == url
            let isReference = url != nil && parts.first != url && id == form.questionnaire.id && id != nil
            if !isSame, !isReference {
                report("questionnaire-other", .error, root, nil, "The response names another form than this one.")
            } else if parts.count == 2, let version = form.questionnaire.version, parts[1] != version {
                report("questionnaire-version", .warning, root, nil, "The response names another version of the form.")
            }
        }
        switch form.questionnaire.status {
        case "draft": report("questionnaire-draft", .warning, root, nil, "The form is a draft.")
        case "retired": report("questionnaire-retired", .warning, root, nil, "The form is retired.")
        default: break
        }
        if let period = Period(json: form.questionnaire["effectivePeriod"]), let authored = response.authored {
            let isEarly = period.start.map { authored.end() <= $0.start() } ?? false
            let isLate = period.end.map { authored.start() >= $0.end() } ?? false
            if isEarly || isLate {
                report("questionnaire-inactive", .warning, root, nil, "The form was not in use when it was answered.")
            }
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
                report("not-enabled", .error, here, item.linkID, "The item is not enabled and must have no answer.")
            }
            return
        }
        let missing: FormProblem.Severity = isInProgress ? .warning : .error
        switch item.type {
        case .display: break
        case .group:
            if item.isRequired, !state.groups.contains(where: \.hasAnswers) {
                report("required", missing, here, item.linkID, "At least one question of this group needs an answer.")
            }
            occurrences(state.groups.count, item, here, missing)
            for group in state.groups { items(group.children, at: group.expression ?? here) }
        default:
            if item.isRequired, state.answers.isEmpty {
                report("required", missing, here, item.linkID, "The question needs an answer.")
            }
            if state.answers.count > 1, !item.repeats {
                report("repeats", missing, here, item.linkID, "The question takes one answer.")
            }
            // Absent altogether, an optional question has no number of answers to keep to.
            if item.isRequired || state.expression != nil {
                occurrences(state.answers.count, item, here, missing)
            }
            exclusive(state, here)
            for answer in state.answers {
                let place = answer.expression ?? here
                for (code, message) in AnswerCheck.problems(of: answer.value, for: item) {
                    report(code, .error, place, item.linkID, message)
                }
                for (code, message) in AnswerCheck.warnings(of: answer.value, for: item) {
                    report(code, .warning, place, item.linkID, message)
                }
                items(answer.children, at: place)
            }
        }
    }

    private mutating func occurrences(
        _ count: Int, _ item: FormItem, _ here: String, _ severity: FormProblem.Severity
    ) {
        if let least = item.limits.minOccurs, count < least {
            report("min-occurs", severity, here, item.linkID, "At least \(least) are asked for.")
        }
        if let most = item.limits.maxOccurs, count > most {
            report("max-occurs", severity, here, item.linkID, "At most \(most) are taken.")
        }
    }

    private mutating func exclusive(_ state: ItemState, _ here: String) {
        guard state.answers.count > 1, let options = state.item.options else { return }
        let isExclusive = state.answers.contains { answer in
            options.contains { $0.isExclusive && answer.value.equals($0.value) }
        }
        if isExclusive {
            report(
                "option-exclusive", .error, here, state.item.linkID, "One of the chosen answers rules all others out.")
        }
    }
}
