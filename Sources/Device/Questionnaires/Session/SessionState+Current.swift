import FHIR
import FHIRPath

/// Options, texts and limits at a node at this time. A form can define them by expressions.
extension SessionState {
    /// The options of a question, or the reason why an expression has none.
    ///
    /// - Parameter failed: receives the reason for each column without a text.
    /// - Returns: nil if the question has no options or they are not available.
    func options(
        _ node: Int, budget: StepBudget, cache: inout EvaluationCache,
        failed: (ExpressionFailure) -> Void = { _ in }
    ) -> Result<[FormOption]?, ExpressionFailure> {
        let item = nodes[node].item
        guard let expressions = item.expressions else { return .success(item.options) }
        var options = item.options
        let scope = ExpressionScope(node: node)
        if let expression = expressions.options {
            switch outcome(of: expression, at: scope, budget: budget, cache: &cache) {
            case .success(let values): options = offered(values, by: item, budget: budget, failed: failed)
            case .failure(let failure): return .failure(failure)
            }
        } else if let expression = expressions.valueSet {
            switch outcome(of: expression, at: scope, budget: budget, cache: &cache) {
            case .success(let values):
                options = values.first?.json.string.flatMap { name in
                    form.optionReader().options(inSet: name)
                }
                if options == nil { return .failure(.undecided("The value set is not available.")) }
            case .failure(let failure): return .failure(failure)
            }
        }
        guard !expressions.toggles.isEmpty, let all = options else { return .success(options) }
        // An option of several expressions is available if any of them is true.
        var available: [Bool?] = all.map { _ in nil }
        for toggle in expressions.toggles {
            let isOn: Bool
            switch outcome(of: toggle.expression, at: scope, budget: budget, cache: &cache) {
            case .success(let values): isOn = values.count == 1 && Self.isTrue(values[0])
            // An undecided expression forbids nothing.
            case .failure(let failure) where failure.isUndecided: isOn = true
            case .failure(let failure): return .failure(failure)
            }
            for (index, option) in all.enumerated() where toggle.options.contains(where: { option.value.equals($0) }) {
                available[index] = (available[index] ?? false) || isOn
            }
        }
        return .success(zip(all, available).filter { $0.1 ?? true }.map(\.0))
    }

    /// Returns the answers that an expression suggests in addition to the options.
    func candidates(
        _ node: Int, budget: StepBudget, cache: inout EvaluationCache,
        failed: (ExpressionFailure) -> Void = { _ in }
    ) -> [FormOption] {
        guard let expression = nodes[node].item.expressions?.candidates,
            case .success(let values) = outcome(
                of: expression, at: ExpressionScope(node: node), budget: budget, cache: &cache)
        else { return [] }
        return offered(values, by: nodes[node].item, budget: budget, failed: failed)
    }

    /// Returns the reasons for columns without a text.
    func columnFailures(_ node: Int, budget: StepBudget, cache: inout EvaluationCache) -> [ExpressionFailure] {
        guard let expressions = nodes[node].item.expressions, !expressions.columns.isEmpty else { return [] }
        var failures: [ExpressionFailure] = []
        func add(_ failure: ExpressionFailure) { if !failures.contains(failure) { failures.append(failure) } }
        if expressions.options != nil { _ = options(node, budget: budget, cache: &cache, failed: add) }
        if expressions.candidates != nil { _ = candidates(node, budget: budget, cache: &cache, failed: add) }
        return failures
    }

    /// Returns values as options. A value set offers its codings, a Bundle its resources.
    private func offered(
        _ values: [FHIRPathValue], by item: FormItem, budget: StepBudget, failed: (ExpressionFailure) -> Void
    ) -> [FormOption] {
        var options: [FormOption] = []
        for value in values {
            if case .element(let element) = value, element.typeName == "ValueSet", let object = element.value.object {
                let reader = OptionReader(
                    Questionnaire(JSONObject()), language: form.language.flatMap { LanguageTag($0) },
                    valueSet: { _ in ValueSet(object) }, codeSystem: { _ in nil })
                options += reader.options(inSet: "urn:set") ?? []
                continue
            }
            if case .element(let element) = value, element.typeName == "Bundle" {
                let resources = element.children("entry").flatMap { $0.children("resource") }
                options += offered(resources.map { .element($0) }, by: item, budget: budget, failed: failed)
                continue
            }
            let conversion = AnswerConversion(item: item, options: nil)
            guard case .success(let answers) = conversion.answers([value]), let answer = answers.first,
                !options.contains(where: { $0.value == answer })
            else { continue }
            let texts = item.expressions?.columns.texts(
                of: value, in: form.language, at: moment, budget: budget, failed: failed)
            options.append(FormOption(value: answer, label: texts?.label, cells: texts?.cells ?? []))
        }
        return options
    }

    /// Returns the text of an item.
    func text(_ node: Int, budget: StepBudget, cache: inout EvaluationCache) -> Result<String?, ExpressionFailure> {
        let item = nodes[node].item
        guard let expression = item.expressions?.text else { return .success(item.text) }
        return outcome(of: expression, at: ExpressionScope(node: node), budget: budget, cache: &cache).map { values in
            guard let json = values.first?.json else { return item.text }
            return json.string ?? json.number?.text ?? json.bool.map { $0 ? "true" : "false" } ?? item.text
        }
    }

    /// Returns the minimum and the maximum of an answer.
    func limits(
        _ node: Int, budget: StepBudget, cache: inout EvaluationCache
    ) -> (minimum: AnswerValue?, maximum: AnswerValue?, failures: [ExpressionFailure]) {
        let item = nodes[node].item
        var limits = (
            minimum: item.limits.minimum(at: moment), maximum: item.limits.maximum(at: moment),
            failures: [ExpressionFailure]()
        )
        guard let expressions = item.expressions else { return limits }
        func value(_ expression: Int?, _ fixed: AnswerValue?) -> AnswerValue? {
            guard let expression else { return fixed }
            switch outcome(of: expression, at: ExpressionScope(node: node), budget: budget, cache: &cache) {
            case .success(let values):
                return values.first.map { AnswerValue($0) } ?? fixed
            case .failure(let failure):
                limits.failures.append(failure)
                return nil
            }
        }
        limits.minimum = value(expressions.minimum, limits.minimum)
        limits.maximum = value(expressions.maximum, limits.maximum)
        return limits
    }
}
