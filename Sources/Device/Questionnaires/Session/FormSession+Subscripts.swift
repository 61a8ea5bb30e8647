import FHIR

/// Answers by the path of their question, for the bindings of a front end.
///
/// A path is a linkId, or linkIds from the top separated by `/`: `hours`, `night/hours`. The items above are optional.
/// A number in brackets is the index of a repetition, from 0; without one it is the first:
///
/// - `medication[1]/dose` for a group: in its second instance. Setting creates the next instance, but none after that.
/// - `medication[1]/dose` for a question with items below: below its second answer, which must exist.
/// - `symptom[1]` for a question that repeats: its second answer. Setting adds the next answer, but none after that.
///   `symptom` alone reads the first answer, and setting it replaces all answers by that one.
///
/// A value that is passed to a subscript is never lost silently. An answer that breaks a rule of its question is
/// entered, like text in a field, and ``problems(status:)`` and ``problems(at:)`` report the problem. A value that
/// cannot be entered is reported by them too, until another answer is set with the same path.
/// ``completedResponse(subject:authored:)`` throws while there is an error. ``set(_:at:)-(AnswerValue?,_)`` checks the
/// value first, and throws.
extension FormSession {
    /// The answer at the path; nil if there is none, or no such question. Setting nil removes the answer.
    public subscript(path: String) -> AnswerValue? {
        get {
            guard let target = try? form.resolve(path) else { return nil }
            let answers = answers(at: target.path)
            let index = target.answer ?? 0
            return answers.indices.contains(index) ? answers[index] : nil
        }
        set {
            keep(path) { (session) throws(ResponseProblem) in try session.put(.one(newValue), path, isChecked: false) }
        }
    }

    /// The answer at the path of an entry; the first one if there are several.
    public subscript(path: ItemPath) -> AnswerValue? {
        get { self[path.description] }
        set { self[path.description] = newValue }
    }

    /// All answers of a question, in their order.
    public subscript(all path: String) -> [AnswerValue] {
        get { (try? form.resolve(path)).map { answers(at: $0.path) } ?? [] }
        set {
            keep(path) { (session) throws(ResponseProblem) in try session.put(.all(newValue), path, isChecked: false) }
        }
    }

    /// Sets the answer at a path; nil removes it.
    ///
    /// - Throws: the reason why the question cannot take it: the path (`link-id-unknown`, `item-misplaced`,
    ///   `group-answered`, `display-answered`, `repetition-missing`, `parent-unanswered`) or the answer (`answer-type`,
    ///   `option`, `max-value` ...). The session is then unchanged.
    public mutating func set(_ value: AnswerValue?, at path: String) throws(ResponseProblem) {
        try put(.one(value), path, isChecked: true)
    }

    /// Replaces all answers of a question.
    ///
    /// - Throws: the same errors as ``set(_:at:)-(AnswerValue?,_)``, and `repeats`, `max-occurs` and
    ///   `option-exclusive`.
    public mutating func set(_ values: [AnswerValue], at path: String) throws(ResponseProblem) {
        try put(.all(values), path, isChecked: true)
    }

    /// Returns the problems of the current answers of one question, even if it is disabled. A missing answer is not a
    /// problem here.
    public func problems(at path: String) -> [ResponseProblem] {
        let refused = refused.filter { $0.expression == path }
        guard let target = try? form.resolve(path) else { return refused }
        return refused + problems(of: answers(at: target.path), target)
    }

    // MARK: Entering

    private enum Change {
        case one(AnswerValue?)
        case all([AnswerValue])
    }

    /// Stores the error of a refused change.
    private mutating func keep(_ path: String, _ change: (inout FormSession) throws(ResponseProblem) -> Void) {
        do throws(ResponseProblem) {
            try change(&self)
        } catch {
            refused.removeAll { $0.expression == path }
            refused.append(error)
        }
    }

    private mutating func put(_ change: Change, _ path: String, isChecked: Bool) throws(ResponseProblem) {
        let target = try form.resolve(path)
        switch target.item.type {
        case .group: throw target.problem("group-answered", "A group takes items, not answers: set those inside.")
        case .display: throw target.problem("display-answered", "A display item takes no answer.")
        default: break
        }
        guard node(at: target.path) == nil else {
            return try enter(change, target, isChecked: isChecked)
        }
        // New instances are kept only if the answer is entered.
        var changed = self
        try changed.createInstances(for: target)
        try changed.enter(change, target, isChecked: isChecked)
        if !changed.answers(at: target.path).isEmpty {
            self = changed
        } else {
            refused.removeAll { $0.expression == path }
        }
    }

    private mutating func enter(_ change: Change, _ target: ResolvedPath, isChecked: Bool) throws(ResponseProblem) {
        let current = answers(at: target.path)
        let values = try Self.values(change, current: current, target: target)
        if isChecked, let error = problems(of: values, target).first(where: { $0.severity == .error }) { throw error }
        refused.removeAll { $0.expression == target.written }
        guard !values.isEmpty || !current.isEmpty else { return }
        guard enter(values, at: target.path) else {
            throw target.problem("item-misplaced", "The item does not belong here.")
        }
        update()
    }

    /// Creates the next instance of a group, if the path contains it.
    private mutating func createInstances(for target: ResolvedPath) throws(ResponseProblem) {
        var above = ItemPath([])
        for step in target.path.steps.dropLast() {
            above.steps.append(step)
            guard let node = node(at: above) else {
                throw target.problem("item-misplaced", "The item does not belong here.")
            }
            if state.nodes[node].item.type != .group {
                guard state.nodes[node].answers.indices.contains(step.instance) else {
                    throw target.problem(
                        "parent-unanswered",
                        "The question above this item has no such answer, so there are no items below it.")
                }
            } else if !state.nodes[node].blocks.indices.contains(step.instance) {
                guard step.instance == state.nodes[node].blocks.count, createGroup(at: above) else {
                    throw target.problem(
                        "repetition-missing",
                        """
                        The group \(step.linkID) has \(state.nodes[node].blocks.count) repetitions, counted from 0: \
                        only the next can be added, if the group repeats.
                        """)
                }
            }
        }
    }

    private static func values(
        _ change: Change, current: [AnswerValue], target: ResolvedPath
    ) throws(ResponseProblem) -> [AnswerValue] {
        switch (change, target.answer) {
        case (.all(let values), _): return values
        case (.one(let value), nil): return value.map { [$0] } ?? []
        case (.one(let value), let index?):
            var values = current
            if values.indices.contains(index) {
                if let value { values[index] = value } else { values.remove(at: index) }
            } else if let value {
                guard index == values.count else {
                    throw target.problem(
                        "repetition-missing",
                        "The question has \(values.count) answers, counted from 0: only the next can be added.")
                }
                values.append(value)
            }
            return values
        }
    }

    /// Returns the problems of answers to a question, of each answer and of all together.
    private func problems(of values: [AnswerValue], _ target: ResolvedPath) -> [ResponseProblem] {
        findings(of: values, for: target.item, at: target.path).map { finding in
            ResponseProblem(
                code: finding.code, severity: finding.severity, expression: target.written, linkID: target.item.linkID,
                sentence: finding.sentence)
        }
    }

    /// Returns the errors and warnings of answers to a question, before they are entered. A missing answer is none.
    package func findings(of values: [AnswerValue], for item: FormItem, at path: ItemPath) -> [AnswerCheck.Finding] {
        var cache = EvaluationCache()
        var current = state
        current.moment = clock()
        let bounds =
            node(at: path).map {
                current.bounds($0, budget: StepBudget(steps: SessionState.maximumSteps), cache: &cache)
            } ?? AnswerCheck.Bounds(of: item, at: current.moment)
        return AnswerCheck.findings(of: values, for: item, within: bounds).map(\.finding)
    }
}
