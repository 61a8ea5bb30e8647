import FHIR
import FHIRPath
import Foundation

/// A problem of a node.
struct NodeProblem: Sendable, Hashable {
    let code: String
    let severity: FormProblem.Severity
    let message: Sentence
    /// The instance of a group, or the answer of a question; nil for the item as a whole.
    let slot: Int?
    /// Whether a number of answers is wrong, which is only a warning in a response in progress.
    let isOfCount: Bool
}

extension SessionState {
    /// Computes the problems of the nodes that changes could have affected.
    mutating func refreshProblems(budget: StepBudget = StepBudget(steps: maximumSteps)) {
        let hasRules = !form.program.root.constraints.isEmpty
        for node in stale {
            guard node >= 0 else {
                let found = withCache { state, cache in
                    hasRules ? state.rootProblems(budget: budget, cache: &cache) : []
                }
                problems[node] = found.isEmpty ? nil : found
                continue
            }
            let found = withCache { state, cache in
                state.nodes[node].isLive ? state.problems(of: node, budget: budget, cache: &cache) : []
            }
            problems[node] = found.isEmpty ? nil : found
        }
        stale.removeAll(keepingCapacity: true)
    }

    /// Calls the body with the state and its cache, and keeps what the body adds to the cache.
    mutating func withCache<Value>(_ body: (SessionState, inout EvaluationCache) -> Value) -> Value {
        var cache = EvaluationCache()
        swap(&cache, &self.cache)
        defer { swap(&cache, &self.cache) }
        return body(self, &cache)
    }

    /// Returns the problems of a node, without those of the items inside.
    func problems(of node: Int, budget: StepBudget, cache: inout EvaluationCache) -> [NodeProblem] {
        let item = nodes[node].item
        guard nodes[node].isEnabled else {
            guard isChecked, hasAnswers(node), nodes[node].parent < 0 || nodes[nodes[node].parent].isEnabled else {
                return []
            }
            return [
                NodeProblem(
                    code: "not-enabled", severity: .error, message: "The item is not enabled and must have no answer.",
                    slot: nil, isOfCount: false)
            ]
        }
        var check = NodeCheck(item: item, isOpen: nodes[node].isOpen)
        // The items of an instance that is not in the response are not required, and what they calculate is not missing.
        let parent = nodes[node].parent
        let isPresent =
            isChecked || parent < 0 || nodes[parent].item.isQuestion || nodes[nodes[node].block].content > 0
        let isThere = isChecked ? !nodes[node].sources.isEmpty : nodes[node].hasContent
        let kinds: [OutcomeKey.Kind] =
            outcomes.isEmpty ? [] : [.enablement, .population, .initial, .calculation]
        for kind in kinds {
            guard let failure = outcomes[OutcomeKey(node: node, kind: kind)] else { continue }
            // An edited answer does not depend on the calculation.
            if kind == .calculation, nodes[node].isEdited { continue }
            // An initial value or a calculated answer that a person can enter is only missing.
            let isError = kind == .enablement || kind == .calculation && item.isFixed
            check.report(failure, severity: isError && isPresent ? .error : .warning)
        }
        switch item.type {
        case .display: break
        case .group:
            let instances = nodes[node].blocks.count { isChecked || ($0 >= 0 && nodes[$0].content > 0) }
            // A required group needs an answer inside; without a required group, its required questions need no
            // answers.
            if item.isRequired, !nodes[node].hasContent, isPresent {
                check.missing("required", "At least one question of this group needs an answer.")
            }
            check.occurrences(instances, isThere: isThere, isPresent: isPresent)
        default:
            if item.isRequired, nodes[node].answers.isEmpty, isPresent {
                check.missing("required", "The question needs an answer.")
            }
            check.occurrences(nodes[node].answers.count, isThere: isThere, isPresent: isPresent)
            answers(node, &check, budget: budget, cache: &cache)
            // A choice without a text can be chosen.
            for failure in columnFailures(node, budget: budget, cache: &cache) {
                check.report(failure, severity: .warning)
            }
        }
        if let expressions = item.expressions {
            constraints(expressions, of: node, in: &check, budget: budget, cache: &cache)
            if isChecked, let calculated = expressions.calculated {
                compare(node, with: calculated, in: &check, budget: budget, cache: &cache)
            }
        }
        return check.problems
    }

    /// Returns whether the item or an item inside has an answer, enabled or not.
    private func hasAnswers(_ node: Int) -> Bool {
        !nodes[node].answers.isEmpty || nodes[node].blocks.contains { hasAnswers(in: $0, below: node) }
    }

    /// Returns whether an item of a block has an answer, enabled or not.
    func hasAnswers(in block: Int, below node: Int) -> Bool {
        block >= 0 && (block..<(block + items(below: node).count)).contains { hasAnswers($0) }
    }

    private func answers(
        _ node: Int, _ check: inout NodeCheck, budget: StepBudget, cache: inout EvaluationCache
    ) {
        let item = nodes[node].item
        guard !nodes[node].answers.isEmpty else { return }
        for (index, finding) in AnswerCheck.findings(
            of: nodes[node].answers, for: item,
            within: bounds(node, budget: budget, cache: &cache) { check.report($0) })
        {
            check.problems.append(
                NodeProblem(
                    code: finding.code, severity: finding.severity, message: finding.sentence, slot: index,
                    isOfCount: finding.isOfCount))
        }
    }

    /// Returns the options and limits of a question at this time.
    ///
    /// - Parameter failed: receives the reason for each expression without a value.
    func bounds(
        _ node: Int, budget: StepBudget, cache: inout EvaluationCache, failed: (ExpressionFailure) -> Void = { _ in }
    ) -> AnswerCheck.Bounds {
        let item = nodes[node].item
        var bounds = AnswerCheck.Bounds(of: item, at: moment)
        guard item.expressions != nil else { return bounds }
        switch options(node, budget: budget, cache: &cache) {
        case .success(let options): bounds.options = options
        case .failure(let failure):
            bounds.options = nil
            failed(failure)
        }
        let limits = limits(node, budget: budget, cache: &cache)
        limits.failures.forEach(failed)
        bounds.minimum = limits.minimum
        bounds.maximum = limits.maximum
        return bounds
    }

    /// Checks the rules of an item that is in the response.
    private func constraints(
        _ expressions: ItemExpressions, of node: Int, in check: inout NodeCheck, budget: StepBudget,
        cache: inout EvaluationCache
    ) {
        guard !expressions.constraints.isEmpty, nodes[node].hasContent else { return }
        let slots: [Int?] =
            nodes[node].item.type == .group
            ? nodes[node].blocks.indices.filter {
                nodes[node].blocks[$0] >= 0 && nodes[nodes[node].blocks[$0]].content > 0
            }
            : [nil]
        for constraint in expressions.constraints {
            for slot in slots {
                let scope = ExpressionScope(node: node, slot: slot)
                check.rule(
                    constraint, outcome(of: constraint.expression, at: scope, budget: budget, cache: &cache), slot: slot
                )
            }
        }
    }

    /// Returns the problems of the rules of the form as a whole.
    func rootProblems(budget: StepBudget, cache: inout EvaluationCache) -> [NodeProblem] {
        var check = NodeCheck(item: nil, isOpen: false)
        for constraint in form.program.root.constraints {
            check.rule(
                constraint, outcome(of: constraint.expression, at: .form, budget: budget, cache: &cache), slot: nil)
        }
        return check.problems
    }

    /// Compares the answers of a response with those that its form calculates. People may change an answer unless it is
    /// read-only or hidden.
    private func compare(
        _ node: Int, with expression: Int, in check: inout NodeCheck, budget: StepBudget, cache: inout EvaluationCache
    ) {
        // A person can have entered an answer that does not depend on the calculation.
        let isFixed = nodes[node].item.isFixed
        guard isFixed || nodes[node].answers.isEmpty else { return }
        switch calculated(node, expression, budget: budget, cache: &cache) {
        case .failure(let failure): check.report(failure, severity: isFixed ? .error : .warning)
        case .success where !isFixed: break
        case .success(let values):
            let answers = nodes[node].answers
            let conversion = AnswerConversion(item: nodes[node].item, options: nil)
            let isSame = zip(values, answers).allSatisfy { value, answer in
                Self.agrees(
                    value, with: answer.type == "Quantity" ? (try? conversion.inUnit(answer)) ?? answer : answer)
            }
            guard values.count != answers.count || !isSame else { return }
            let isAbsent = answers.isEmpty
            check.problems.append(
                NodeProblem(
                    code: "calculated-value", severity: isAbsent ? .warning : .error,
                    message: isAbsent
                        ? "The form calculates an answer that the response does not have."
                        : "The answer differs from the one that the form calculates.",
                    slot: nil, isOfCount: false))
        }
    }

    /// Returns whether an answer is the calculated one. Numbers can differ in digits that binary floating point, which
    /// other apps calculate with, does not represent.
    private static func agrees(_ calculated: AnswerValue, with answer: AnswerValue) -> Bool {
        if answer == calculated || answer.equals(calculated) { return true }
        guard let left = calculated.number, let right = answer.number,
            calculated.type != "Quantity" || calculated.hasSameUnit(as: answer)
        else { return false }
        let (a, b) = (NSDecimalNumber(decimal: left).doubleValue, NSDecimalNumber(decimal: right).doubleValue)
        return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    }
}

/// Collects the problems of one node.
struct NodeCheck {
    let item: FormItem?
    let isOpen: Bool
    var problems: [NodeProblem] = []

    mutating func missing(_ code: String, _ message: Sentence) {
        // An item whose enablement is unknown requires no answer.
        guard !isOpen else { return }
        problems.append(NodeProblem(code: code, severity: .error, message: message, slot: nil, isOfCount: true))
    }

    /// Checks the number of answers or instances. An absent item that is not required has no minimum.
    mutating func occurrences(_ count: Int, isThere: Bool, isPresent: Bool) {
        guard let item else { return }
        if let minimum = item.limits.minOccurs, count < minimum, item.isRequired && isPresent || isThere {
            missing("min-occurs", "At least \(minimum) are required.")
        }
        if item.type == .group, let maximum = item.limits.maxOccurs, count > maximum {
            problems.append(
                NodeProblem(
                    code: "max-occurs", severity: .error, message: "The maximum is \(maximum).", slot: nil,
                    isOfCount: true))
        }
    }

    /// Reports an expression without a value. An undecided expression forbids nothing.
    mutating func report(_ failure: ExpressionFailure, severity: FormProblem.Severity = .error) {
        let problem = NodeProblem(
            code: failure.isUndecided ? "expression-undecided" : "expression-failed",
            severity: failure.isUndecided ? .information : severity,
            message: failure.isUndecided
                ? "An expression of the form is not evaluated: \(failure.message)"
                : "An expression of the form fails: \(failure.message)",
            slot: nil, isOfCount: false)
        if !problems.contains(problem) { problems.append(problem) }
    }

    mutating func rule(_ constraint: FormConstraint, _ outcome: ExpressionOutcome, slot: Int?) {
        switch outcome {
        // A rule that cannot be evaluated refuses no answer.
        case .failure(let failure): report(failure, severity: .warning)
        case .success(let values):
            guard values.count == 1, !SessionState.isTrue(values[0]) else { return }
            problems.append(
                NodeProblem(
                    code: "constraint", severity: constraint.isError ? .error : .warning,
                    message: constraint.human.map { Sentence($0) }
                        ?? "The answers break the form's rule \(constraint.key.prefix(100)).",
                    slot: slot, isOfCount: false))
        }
    }
}
