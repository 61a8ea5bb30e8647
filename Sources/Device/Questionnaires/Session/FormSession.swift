import FHIR

/// A session that answers a form: it takes answers, evaluates the form's expressions, and determines enabled items and
/// problems. It is a value without background activity. An answer costs the evaluation of what depends on it.
///
/// Answers of items that become disabled are kept, and are used again when the item is enabled again. Until then they
/// are treated as absent and are in no response.
public struct FormSession: Sendable {
    /// The form.
    public var form: QuestionnaireForm { state.form }
    /// The rules for the evaluation of conditions.
    public var rules: EnablementRules { state.rules }
    /// The data that expressions read in addition to the answers.
    public var context: FormContext { state.context }
    /// Returns the current time, for limits such as today; by default the system's clock.
    public var clock: @Sendable () -> DateTime
    /// The items with their answers.
    var state: SessionState
    /// The problems of values that a subscript could not enter, with the paths that were passed.
    var refused: [ResponseProblem] = []

    /// Creates a session with the form's initial values.
    ///
    /// - Parameters:
    ///   - rules: rules for conditions for which implementations differ.
    ///   - context: the data that expressions read in addition to the answers, such as the patient.
    ///   - clock: returns the current time with the person's offset.
    public init(
        _ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), context: FormContext = FormContext(),
        clock: @escaping @Sendable () -> DateTime = { .now() }
    ) {
        var state = SessionState(form, rules: rules, context: context, isChecked: false, moment: clock())
        _ = state.makeBlock(below: -1, slot: 0, hasInitial: true)
        self.init(state, clock: clock)
    }

    /// Creates a session of a state with pending computations.
    init(_ state: SessionState, clock: @escaping @Sendable () -> DateTime) {
        self.state = state
        self.clock = clock
        update()
    }

    /// Maximum number of instances of a group.
    package static let maximumInstances = SessionState.maximumInstances

    // MARK: Reading

    /// Returns whether the item at the path exists and is enabled.
    public func isEnabled(_ path: ItemPath) -> Bool { node(at: path).map { state.nodes[$0].isEnabled } ?? false }

    /// Returns the answers at the path, including those of disabled items.
    public func answers(at path: ItemPath) -> [AnswerValue] { node(at: path).map { state.nodes[$0].answers } ?? [] }

    /// Returns the number of instances of the group at the path; the path's last number is ignored.
    public func instanceCount(at path: ItemPath) -> Int {
        guard let node = node(at: path), state.nodes[node].item.type == .group else { return 0 }
        return state.nodes[node].blocks.count
    }

    /// Returns the problems of values that a subscript could not enter, followed by the problems of the current
    /// response. Expressions are paths in the response; for values that were not entered, the paths that were passed.
    public func problems(status: QuestionnaireAnswersStatus = .completed) -> [ResponseProblem] {
        refused + state.responseProblems(status: status, at: clock()).map(\.problem)
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
        guard let last = path.steps.last, let node = node(at: path), state.nodes[node].item.type == .group,
            state.nodes[node].blocks.indices.contains(last.instance)
        else { return false }
        state.removeInstance(last.instance, of: node)
        update()
        return true
    }

    /// Sets answers like ``setAnswers(_:at:)``, but without ``update()``.
    mutating func enter(_ values: [AnswerValue], at path: ItemPath) -> Bool {
        guard let node = node(at: path), state.nodes[node].item.isQuestion else { return false }
        let item = state.nodes[node].item
        if item.expressions?.calculated != nil {
            // The form determines an answer that people cannot change.
            if item.isFixed { state.mark(item.index, node) }
            state.nodes[node].isEdited = !item.isFixed
        }
        state.nodes[node].isNew = false
        state.setAnswers(values, node)
        return true
    }

    /// Creates an instance like ``ensureGroup(at:)``, but without ``update()``.
    mutating func createGroup(at path: ItemPath) -> Bool {
        guard let last = path.steps.last, last.instance >= 0, last.instance < Self.maximumInstances,
            let node = node(at: path)
        else { return false }
        let item = state.nodes[node].item
        guard item.type == .group, last.instance == 0 || item.repeats else { return false }
        while state.nodes[node].blocks.count <= last.instance { state.addInstance(node) }
        return true
    }

    /// Evaluates the conditions and expressions that changes affect.
    mutating func update() {
        state.settle(at: clock())
        state.refreshProblems()
    }

    // MARK: Paths

    /// Returns the node at a path; the path's last number is ignored.
    func node(at path: ItemPath) -> Int? {
        var parent = -1
        var block = state.nodes.isEmpty ? -1 : 0
        for (depth, step) in path.steps.enumerated() {
            guard block >= 0, let position = state.position(of: step.linkID, below: parent) else { return nil }
            let node = block + position
            if depth == path.steps.count - 1 { return node }
            guard state.nodes[node].blocks.indices.contains(step.instance) else { return nil }
            parent = node
            block = state.nodes[node].blocks[step.instance]
        }
        return nil
    }
}
