import FHIR

/// A session that answers a form: it takes answers, and determines enabled items and problems. It is a value without
/// background activity.
///
/// Answers of items that become disabled are kept, and are used again when the item is enabled again. Until then they
/// are treated as absent and are in no response.
public struct FormSession: Sendable {
    /// The form.
    public let form: QuestionnaireForm
    /// The rules for the evaluation of conditions.
    public let rules: EnablementRules
    /// Returns the current time, for limits such as today; by default the system's clock.
    public var clock: @Sendable () -> DateTime = { .now() }
    /// The form's items with their answers.
    package internal(set) var root: [ItemState]
    /// The problems of values that a subscript could not enter, with the paths that were passed.
    var refused: [ResponseProblem] = []

    /// Creates a session with the form's initial values.
    public init(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules()) {
        var root = form.items.map { ItemState(empty: $0, withGroup: true) }
        root.fillInitial()
        self.init(form, rules: rules, root: root)
    }

    init(_ form: QuestionnaireForm, rules: EnablementRules, root: [ItemState]) {
        self.form = form
        self.rules = rules
        self.root = root
        update()
    }

    /// Maximum number of instances of a group.
    package static let maximumInstances = 1000

    // MARK: Reading

    /// Returns whether the item at the path exists and is enabled.
    public func isEnabled(_ path: ItemPath) -> Bool { state(at: path)?.isEnabled ?? false }

    /// Returns the answers at the path, including those of disabled items.
    public func answers(at path: ItemPath) -> [AnswerValue] { state(at: path)?.answers.map(\.value) ?? [] }

    /// Returns the number of instances of the group at the path; the path's last number is ignored.
    public func instanceCount(at path: ItemPath) -> Int { state(at: path)?.groups.count ?? 0 }

    /// Returns the problems of values that a subscript could not enter, followed by the problems of the current
    /// response. Expressions are paths in the response; for values that were not entered, the paths that were passed.
    public func problems(status: QuestionnaireAnswersStatus = .completed) -> [ResponseProblem] {
        refused + ResponseValidator(form, rules: rules, now: clock()).problems(in: response(status: status))
    }

    // MARK: Answering

    /// Replaces the answers of a question; an empty list removes them. Items below an answer that is still present keep
    /// their content.
    ///
    /// - Returns: false if there is no such question.
    @discardableResult
    public mutating func setAnswers(_ values: [AnswerValue], at path: ItemPath) -> Bool {
        let done = enter(values, at: path)
        if done { update() }
        return done
    }

    /// Creates the instance of a group in the path, if it does not exist.
    ///
    /// - Returns: false if there is no such group, or if it does not repeat.
    @discardableResult
    public mutating func ensureGroup(at path: ItemPath) -> Bool {
        let done = createGroup(at: path)
        if done { update() }
        return done
    }

    /// Removes an instance of a repeating group; the last one is emptied instead.
    @discardableResult
    public mutating func removeGroup(at path: ItemPath) -> Bool {
        guard let last = path.steps.last else { return false }
        let done = change(path) { state in
            guard state.item.type == .group, state.groups.indices.contains(last.instance) else { return false }
            if state.groups.count == 1 {
                state.groups = [GroupState(of: state.item)]
            } else {
                state.groups.remove(at: last.instance)
            }
            return true
        }
        if done { update() }
        return done
    }

    /// Sets answers like ``setAnswers(_:at:)``, but without ``update()``.
    mutating func enter(_ values: [AnswerValue], at path: ItemPath) -> Bool {
        change(path) { state in
            guard state.item.isQuestion else { return false }
            let item = state.item
            var old = state.answers
            if !item.repeats, values.count <= 1 {
                // A single answer that replaces another is treated as a correction, and keeps the items below it.
                let below = old.first?.children ?? state.detached
                state.detached = values.isEmpty ? below : nil
                state.answers = values.map { value in
                    below.map { AnswerState(value, children: $0) } ?? AnswerState(initially: value, of: item)
                }
                return true
            }
            state.answers = values.map { value in
                guard let same = old.firstIndex(where: { $0.value == value }) else {
                    return AnswerState(initially: value, of: item)
                }
                return old.remove(at: same)
            }
            return true
        }
    }

    /// Creates an instance like ``ensureGroup(at:)``, but without ``update()``.
    mutating func createGroup(at path: ItemPath) -> Bool {
        guard let last = path.steps.last, last.instance >= 0, last.instance < Self.maximumInstances else {
            return false
        }
        return change(path) { state in
            guard state.item.type == .group, last.instance == 0 || state.item.repeats else { return false }
            while state.groups.count <= last.instance {
                var group = GroupState(of: state.item)
                group.children.fillInitial()
                state.groups.append(group)
            }
            return true
        }
    }

    /// Determines the enabled items.
    mutating func update() { Enablement.update(&root, form: form, rules: rules) }

    // MARK: Paths

    package func state(at path: ItemPath) -> ItemState? {
        var states = root
        for (depth, step) in path.steps.enumerated() {
            guard let index = states.index(of: step.linkID, in: form) else { return nil }
            let state = states[index]
            if depth == path.steps.count - 1 { return state }
            if state.groups.indices.contains(step.instance) {
                states = state.groups[step.instance].children
            } else if state.answers.indices.contains(step.instance) {
                states = state.answers[step.instance].children
            } else {
                return nil
            }
        }
        return nil
    }

    private mutating func change(_ path: ItemPath, _ body: (inout ItemState) -> Bool) -> Bool {
        Self.change(&root, form: form, steps: path.steps[...], body)
    }

    private static func change(
        _ states: inout [ItemState], form: QuestionnaireForm, steps: ArraySlice<ItemPath.Step>,
        _ body: (inout ItemState) -> Bool
    ) -> Bool {
        guard let step = steps.first, let index = states.index(of: step.linkID, in: form) else { return false }
        if steps.count == 1 { return body(&states[index]) }
        if states[index].groups.indices.contains(step.instance) {
            return change(&states[index].groups[step.instance].children, form: form, steps: steps.dropFirst(), body)
        }
        guard states[index].answers.indices.contains(step.instance) else { return false }
        return change(&states[index].answers[step.instance].children, form: form, steps: steps.dropFirst(), body)
    }
}
