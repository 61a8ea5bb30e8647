import FHIR
import Foundation

/// A form being answered: answers in, enabled items and problems out. A value; nothing happens by itself.
public struct FormSession: Sendable {
    public let form: Form
    public let rules: EnablementRules
    var root: [ItemState]

    /// A session with the form's initial values.
    public init(_ form: Form, rules: EnablementRules = EnablementRules()) {
        self.form = form
        self.rules = rules
        root = form.items.map { ItemState(empty: $0, withGroup: true) }
        Self.fillInitial(&root)
        update()
    }

    init(_ form: Form, rules: EnablementRules, root: [ItemState]) {
        self.form = form
        self.rules = rules
        self.root = root
        update()
    }

    /// One item as a front end shows it.
    public struct Entry: Sendable {
        public let item: FormItem
        public let path: ItemPath
        public let answers: [AnswerValue]
    }

    /// The enabled items in order, each with its answers; hidden ones are left out unless asked for.
    public func entries(includingHidden: Bool = false) -> [Entry] {
        var entries: [Entry] = []
        func visit(_ states: [ItemState], _ above: [ItemPath.Step]) {
            for state in states where state.isEnabled && (includingHidden || !state.item.isHidden) {
                let here = above + [ItemPath.Step(linkID: state.item.linkID)]
                if state.item.type == .group {
                    for (index, group) in state.groups.enumerated() {
                        var path = here
                        path[path.count - 1].instance = index
                        entries.append(Entry(item: state.item, path: ItemPath(path), answers: []))
                        visit(group.children, path)
                    }
                    continue
                }
                entries.append(Entry(item: state.item, path: ItemPath(here), answers: state.answers.map(\.value)))
                for (index, answer) in state.answers.enumerated() {
                    var path = here
                    path[path.count - 1].instance = index
                    visit(answer.children, path)
                }
            }
        }
        visit(root, [])
        return entries
    }

    /// Whether the item at the path is there and enabled.
    public func isEnabled(_ path: ItemPath) -> Bool { state(at: path)?.isEnabled ?? false }

    /// The answers at the path, those of disabled items too.
    public func answers(at path: ItemPath) -> [AnswerValue] { state(at: path)?.answers.map(\.value) ?? [] }

    /// Replaces the answers of a question. Items below an answer that stays in its place keep what they have.
    ///
    /// - Returns: false where there is no such question.
    @discardableResult
    public mutating func setAnswers(_ values: [AnswerValue], at path: ItemPath) -> Bool {
        let done = change(path) { state in
            guard state.item.isQuestion else { return false }
            let old = state.answers
            state.answers = values.enumerated().map { index, value in
                guard old.indices.contains(index) else { return Self.answer(value, of: state.item) }
                var answer = old[index]
                answer.value = value
                return answer
            }
            return true
        }
        if done { update() }
        return done
    }

    /// Makes sure that a repeating group has the instance that the path names.
    ///
    /// - Returns: false where there is no such group, or it does not repeat.
    @discardableResult
    public mutating func ensureGroup(at path: ItemPath) -> Bool {
        guard let last = path.steps.last, last.instance >= 0, last.instance < Self.maximumInstances else {
            return false
        }
        let done = change(path) { state in
            guard state.item.type == .group, last.instance == 0 || state.item.repeats else { return false }
            while state.groups.count <= last.instance {
                var group = GroupState(of: state.item)
                Self.fillInitial(&group.children)
                state.groups.append(group)
            }
            return true
        }
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

    static let maximumInstances = 1000

    private mutating func update() { Enablement(form: form, rules: rules).update(&root) }

    private static func answer(_ value: AnswerValue, of item: FormItem) -> AnswerState {
        var answer = AnswerState(value, of: item)
        fillInitial(&answer.children)
        return answer
    }

    private static func fillInitial(_ states: inout [ItemState]) {
        for index in states.indices {
            let item = states[index].item
            states[index].answers = item.initial.map { answer($0, of: item) }
            for group in states[index].groups.indices { fillInitial(&states[index].groups[group].children) }
        }
    }

    func state(at path: ItemPath) -> ItemState? {
        var states = root
        for (depth, step) in path.steps.enumerated() {
            guard let state = states.first(where: { $0.item.linkID == step.linkID }) else { return nil }
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
        Self.change(&root, path.steps[...], body)
    }

    private static func change(
        _ states: inout [ItemState], _ steps: ArraySlice<ItemPath.Step>, _ body: (inout ItemState) -> Bool
    ) -> Bool {
        guard let step = steps.first, let index = states.firstIndex(where: { $0.item.linkID == step.linkID }) else {
            return false
        }
        if steps.count == 1 { return body(&states[index]) }
        if states[index].groups.indices.contains(step.instance) {
            return change(&states[index].groups[step.instance].children, steps.dropFirst(), body)
        }
        guard states[index].answers.indices.contains(step.instance) else { return false }
        return change(&states[index].answers[step.instance].children, steps.dropFirst(), body)
    }
}
