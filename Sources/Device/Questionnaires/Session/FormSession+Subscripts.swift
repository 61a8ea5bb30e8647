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
        return refused + Self.problems(of: answers(at: target.path), target, at: clock())
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
        var changed = self
        switch target.item.type {
        case .group: throw target.problem("group-answered", "A group takes items, not answers: set those inside.")
        case .display: throw target.problem("display-answered", "A display item takes no answer.")
        default: try changed.createInstances(for: target)
        }
        let values = try Self.values(change, current: changed.answers(at: target.path), target: target)
        if isChecked, let error = Self.problems(of: values, target, at: clock()).first(where: { $0.severity == .error })
        {
            throw error
        }
        guard !values.isEmpty || !changed.answers(at: target.path).isEmpty else {
            // There is nothing to remove, so no instance is created.
            refused.removeAll { $0.expression == path }
            return
        }
        guard changed.enter(values, at: target.path) else {
            throw target.problem("item-misplaced", "The item does not belong here.")
        }
        changed.refused.removeAll { $0.expression == path }
        changed.update()
        self = changed
    }

    /// Creates the next instance of a group, if the path contains it.
    private mutating func createInstances(for target: ResolvedPath) throws(ResponseProblem) {
        var above = ItemPath([])
        for step in target.path.steps.dropLast() {
            above.steps.append(step)
            guard let state = state(at: above) else {
                throw target.problem("item-misplaced", "The item does not belong here.")
            }
            if state.item.type != .group {
                guard state.answers.indices.contains(step.instance) else {
                    throw target.problem(
                        "parent-unanswered",
                        "The question above this item has no such answer, so there are no items below it.")
                }
            } else if !state.groups.indices.contains(step.instance) {
                guard step.instance == state.groups.count, createGroup(at: above) else {
                    throw target.problem(
                        "repetition-missing",
                        "The group \(step.linkID) has \(state.groups.count) repetitions, counted from 0: only the next can "
                            + "be added, if the group repeats.")
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
    private static func problems(
        of values: [AnswerValue], _ target: ResolvedPath, at moment: DateTime
    ) -> [ResponseProblem] {
        let item = target.item
        var problems = values.flatMap { AnswerCheck.findings(of: $0, for: item, at: moment) }.map {
            ResponseProblem(
                code: $0.code, severity: $0.severity, expression: target.written, linkID: item.linkID,
                message: $0.message)
        }
        guard values.count > 1 else { return problems }
        if !item.repeats { problems.append(target.problem("repeats", "The question takes one answer.")) }
        if let maximum = item.limits.maxOccurs, values.count > maximum {
            problems.append(target.problem("max-occurs", "The maximum is \(maximum)."))
        }
        let exclusive = (item.options ?? []).filter(\.isExclusive)
        if values.contains(where: { value in exclusive.contains { value.equals($0.value) } }) {
            problems.append(
                target.problem("option-exclusive", "One of the chosen answers excludes all others."))
        }
        return problems
    }
}
