/// How conditions are read where engines differ.
public struct EnablementRules: Sendable, Hashable {
    /// Whether `!=` needs an answer. The specification's reading is that no answer equals the value, so that a question
    /// without an answer fulfils it; some engines ask for an answer that differs.
    public var notEqualNeedsAnswer: Bool

    public init(notEqualNeedsAnswer: Bool = false) { self.notEqualNeedsAnswer = notEqualNeedsAnswer }
}

/// Finds out which items are enabled (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.enableWhen>).
///
/// The answers of a disabled item count as absent, so one item's state can change another's: the rounds end when
/// nothing changes any more. Conditions in a circle might never settle; after as many rounds as there are items the last
/// state stands.
struct Enablement {
    let form: Form
    let rules: EnablementRules

    /// One step from the top towards an item: the item, and which of its instances or answers.
    private struct Step {
        let item: Int
        let instance: Int
    }

    func update(_ root: inout [ItemState]) {
        let hasConditions = form.all.contains { !$0.conditions.isEmpty }
        for _ in 0...max(1, form.all.count) {
            let before = root
            var changed = false
            update(&root, before: before, chain: [], parentEnabled: true, changed: &changed)
            if !changed || !hasConditions { return }
        }
    }

    private func update(
        _ states: inout [ItemState], before: [ItemState], chain: [Step], parentEnabled: Bool, changed: inout Bool
    ) {
        for index in states.indices {
            let item = states[index].item
            let enabled = parentEnabled && isEnabled(item, chain: chain, in: before)
            if states[index].isEnabled != enabled {
                states[index].isEnabled = enabled
                changed = true
            }
            for instance in states[index].groups.indices {
                update(
                    &states[index].groups[instance].children, before: before,
                    chain: chain + [Step(item: item.index, instance: instance)], parentEnabled: enabled,
                    changed: &changed)
            }
            for instance in states[index].answers.indices where !states[index].answers[instance].children.isEmpty {
                update(
                    &states[index].answers[instance].children, before: before,
                    chain: chain + [Step(item: item.index, instance: instance)], parentEnabled: enabled,
                    changed: &changed)
            }
        }
    }

    private func isEnabled(_ item: FormItem, chain: [Step], in root: [ItemState]) -> Bool {
        guard !item.conditions.isEmpty else { return true }
        func holds(_ condition: EnableCondition) -> Bool { self.holds(condition, chain: chain, in: root) }
        return item.enabledByAny ? item.conditions.contains(where: holds) : item.conditions.allSatisfy(holds)
    }

    private func holds(_ condition: EnableCondition, chain: [Step], in root: [ItemState]) -> Bool {
        guard let comparison = condition.comparison, let expected = condition.expected,
            let target = form.item(condition.question)
        else { return false }
        let answers = answers(of: target, chain: chain, in: root)
        switch comparison {
        case .exists: return !answers.isEmpty == (expected.json.bool ?? true)
        case .equal: return answers.contains { $0.equals(expected) }
        case .notEqual:
            if rules.notEqualNeedsAnswer, answers.isEmpty { return false }
            return !answers.contains { $0.equals(expected) }
        case .greater: return answers.contains { $0.compare(expected) == .orderedDescending }
        case .less: return answers.contains { $0.compare(expected) == .orderedAscending }
        case .greaterOrEqual:
            return answers.contains { $0.compare(expected).map { $0 != .orderedAscending } ?? false }
        case .lessOrEqual:
            return answers.contains { $0.compare(expected).map { $0 != .orderedDescending } ?? false }
        }
    }

    /// The answers of the nearest occurrence: where source and target stand in the same group, those of the same
    /// instance of it; below that, all.
    private func answers(of target: FormItem, chain: [Step], in root: [ItemState]) -> [AnswerValue] {
        var scopes = [root]
        var isShared = true
        for (depth, ancestor) in target.ancestors.enumerated() {
            isShared = isShared && depth < chain.count && chain[depth].item == ancestor
            let states = scopes.flatMap { $0 }.filter { $0.item.index == ancestor && $0.isEnabled }
            var next: [[ItemState]] = []
            for state in states {
                let instances = state.groups.map(\.children) + state.answers.map(\.children)
                if isShared {
                    let instance = chain[depth].instance
                    if instances.indices.contains(instance) { next.append(instances[instance]) }
                } else {
                    next += instances
                }
            }
            scopes = next
        }
        return scopes.flatMap { $0 }.filter { $0.item.index == target.index && $0.isEnabled }
            .flatMap { $0.answers.map(\.value) }
    }
}
