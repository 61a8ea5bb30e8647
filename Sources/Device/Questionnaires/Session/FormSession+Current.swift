import FHIR

/// Values that the form's expressions determine at this time.
extension FormSession {
    /// Returns the options of a question: those of the form, or those of its expressions; nil if it has none or they are
    /// not available.
    public func options(at path: ItemPath) -> [FormOption]? {
        current(path) { state, node, budget, cache in
            guard case .success(let options) = state.options(node, budget: budget, cache: &cache) else { return nil }
            return options
        } ?? nil
    }

    /// Returns the answers that a form suggests for a question in addition to its options
    /// (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-candidateExpression.html>).
    public func candidates(at path: ItemPath) -> [FormOption] {
        current(path) { state, node, budget, cache in state.candidates(node, budget: budget, cache: &cache) } ?? []
    }

    /// Returns the text of an item: that of the form, or that of its expression.
    public func text(at path: ItemPath) -> String? {
        current(path) { state, node, budget, cache in
            guard case .success(let text) = state.text(node, budget: budget, cache: &cache) else {
                return state.nodes[node].item.text
            }
            return text
        } ?? nil
    }

    /// Returns the minimum and the maximum of an answer at this time; nil for no limit.
    public func limits(at path: ItemPath) -> (minimum: AnswerValue?, maximum: AnswerValue?) {
        current(path) { state, node, budget, cache in
            let limits = state.limits(node, budget: budget, cache: &cache)
            return (limits.minimum, limits.maximum)
        } ?? (nil, nil)
    }

    /// Returns whether a person has changed the calculated answers of a question. The form's calculation does not
    /// change them then.
    public func isEdited(at path: ItemPath) -> Bool { node(at: path).map { state.nodes[$0].isEdited } ?? false }

    /// Replaces the answers of a question by those that the form calculates.
    ///
    /// - Returns: false if the form calculates no answer there.
    @discardableResult
    public mutating func resetCalculation(at path: ItemPath) -> Bool {
        guard let node = node(at: path), state.nodes[node].item.expressions?.calculated != nil else { return false }
        state.nodes[node].isEdited = false
        state.mark(state.nodes[node].item.index, node)
        update()
        return true
    }

    /// The problems of the current response with the paths of their items, for front ends.
    package func locatedProblems(
        status: QuestionnaireAnswersStatus = .completed
    ) -> [(path: ItemPath?, problem: ResponseProblem)] {
        refused.map { (nil, $0) } + state.responseProblems(status: status, at: clock())
    }

    private func current<Value>(
        _ path: ItemPath, _ read: (SessionState, Int, StepBudget, inout EvaluationCache) -> Value
    ) -> Value? {
        guard let node = node(at: path) else { return nil }
        var cache = state.cache
        var current = state
        current.moment = clock()
        return read(current, node, StepBudget(steps: SessionState.maximumSteps), &cache)
    }
}
