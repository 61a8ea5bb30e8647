import FHIR
import Questionnaires

/// One item on the way through a form.
package struct RenderVisit: Sendable {
    /// The part of a plan that the item is.
    package enum Kind: Sendable {
        /// An instance of a group.
        case section
        /// A display item.
        case text
        /// An answer with items below it.
        case answer(AnswerValue)
        /// A question.
        case question
        /// The possibility to add an instance of a group.
        case repetition
    }

    package let kind: Kind
    package let item: FormItem
    package let path: ItemPath
    let state: FormSession.RenderState

    /// Whether the person can answer the question.
    package var isAnswerable: Bool {
        guard case .question = kind else { return false }
        return state.isEnabled && !item.isReadOnly && item.type != .question
    }
}

/// Visits the visible items of a form in order, each when it is asked for: after an answer, a front end of lines needs
/// the next one only, however long the form is.
package struct RenderWalk: Sequence, IteratorProtocol {
    private enum Frame {
        /// Items below a path, from an index on.
        case items([FormItem], next: Int)
        /// The instances of a group, from an index on.
        case instances(FormItem, FormSession.RenderState, next: Int)
        /// The items below the answers of a question, from an answer on.
        case answers(FormItem, FormSession.RenderState, next: Int)
    }

    private let session: FormSession
    private let scope: RenderScope
    /// The work that is left, the innermost last, each with the path above it.
    private var frames: [(frame: Frame, above: [ItemPath.Step], isProtected: Bool)] = []

    /// Visits the whole form.
    package init(_ session: FormSession, scope: RenderScope) {
        self.session = session
        self.scope = scope
        frames = [(.items(session.form.items, next: 0), [], false)]
    }

    /// Visits the items after a path: those below the answers of a question, and all that follow.
    ///
    /// - Parameter path: the path of a question, or the path of a new instance of a group. The session need not have it
    ///   any more.
    package init(_ session: FormSession, scope: RenderScope, after path: ItemPath) {
        self.session = session
        self.scope = scope
        var list = session.form.items
        var above: [ItemPath.Step] = []
        for (depth, step) in path.steps.enumerated() {
            guard let index = list.index(of: step.linkID, in: session.form) else { return }
            let item = list[index]
            frames.append((.items(list, next: index + 1), above, false))
            let here = ItemPath(above + [ItemPath.Step(linkID: item.linkID)])
            guard let state = session.renderState(at: here) else { return }
            let isLast = depth == path.steps.count - 1
            if item.type == .group {
                if isLast { return }
                frames.append((.instances(item, state, next: step.instance + 1), above, false))
                guard state.instances.indices.contains(step.instance) else { return }
            } else if isLast {
                if state.isEnabled { frames.append((.answers(item, state, next: 0), above, false)) }
                return
            } else {
                frames.append((.answers(item, state, next: step.instance + 1), above, false))
                guard state.answers.indices.contains(step.instance) else { return }
            }
            above.append(step)
            list = item.children
        }
    }

    package mutating func next() -> RenderVisit? {
        while let (frame, above, isProtected) = frames.popLast() {
            let found: RenderVisit? =
                switch frame {
                case .items(let items, let next): visit(items, next, above: above, isProtected: isProtected)
                case .instances(let item, let state, let next):
                    visit(group: item, state, next: next, above: above, isProtected: isProtected)
                case .answers(let item, let state, let next):
                    visit(question: item, state, next: next, above: above, isProtected: isProtected)
                }
            if let found { return found }
        }
        return nil
    }

    private mutating func visit(
        _ items: [FormItem], _ next: Int, above: [ItemPath.Step], isProtected: Bool
    ) -> RenderVisit? {
        guard items.indices.contains(next) else { return nil }
        frames.append((.items(items, next: next + 1), above, isProtected))
        let item = items[next]
        guard !item.isHidden, !session.isNote(item), isAddressable(item, in: items) else { return nil }
        let path = ItemPath(above + [ItemPath.Step(linkID: item.linkID)])
        let found = session.renderState(at: path)
        let isEnabled = found?.isEnabled ?? false
        let isProtected = !isEnabled && (isProtected || item.hints?.disabledDisplay == .protected)
        guard isEnabled || isProtected || scope.includesDisabled else { return nil }
        var state = found ?? FormSession.RenderState()
        // Answers of a question that is not enabled are treated as absent.
        if !isEnabled { state.answers = [] }
        switch item.type {
        case .display: return RenderVisit(kind: .text, item: item, path: path, state: state)
        case .group:
            if let opened = scope.opened, isOpenEnded(item), !item.isRequired, state.instances == [false],
                !opened.contains(path)
            {
                return RenderVisit(kind: .repetition, item: item, path: path, state: state)
            }
            if state.instances.isEmpty { state.instances = [false] }
            frames.append((.instances(item, state, next: 0), above, isProtected))
            return nil
        default:
            frames.append((.answers(item, state, next: 0), above, isProtected))
            return RenderVisit(kind: .question, item: item, path: path, state: state)
        }
    }

    /// Whether a path leads to an item. With a linkId that its list contains twice, paths lead to the first item only;
    /// a text is shown nevertheless.
    private func isAddressable(_ item: FormItem, in items: [FormItem]) -> Bool {
        if item.type == .display || session.form.item(item.linkID) === item { return true }
        return items.first { $0.linkID == item.linkID } === item
    }

    /// Whether a person can add instances of a group.
    private func isOpenEnded(_ item: FormItem) -> Bool { item.repeats && !item.isReadOnly }

    private mutating func visit(
        group item: FormItem, _ state: FormSession.RenderState, next: Int, above: [ItemPath.Step], isProtected: Bool
    ) -> RenderVisit? {
        guard state.isEnabled || isProtected || scope.includesDisabled else { return nil }
        let path = ItemPath(above + [ItemPath.Step(linkID: item.linkID, instance: next)])
        if state.instances.indices.contains(next) {
            frames.append((.instances(item, state, next: next + 1), above, isProtected))
            frames.append((.items(item.children, next: 0), path.steps, isProtected))
            return RenderVisit(kind: .section, item: item, path: path, state: state)
        }
        guard next == state.instances.count, state.isEnabled, isOpenEnded(item) else { return nil }
        let limit = session.limits(of: item, at: path).maxOccurs ?? FormSession.maximumInstances
        guard next < Swift.min(limit, FormSession.maximumInstances) else { return nil }
        return RenderVisit(kind: .repetition, item: item, path: path, state: state)
    }

    private mutating func visit(
        question item: FormItem, _ state: FormSession.RenderState, next: Int, above: [ItemPath.Step], isProtected: Bool
    ) -> RenderVisit? {
        guard !item.children.isEmpty else { return nil }
        let count = state.answers.isEmpty && scope.includesDisabled ? 1 : state.answers.count
        guard next < count else { return nil }
        let path = ItemPath(above + [ItemPath.Step(linkID: item.linkID, instance: next)])
        frames.append((.answers(item, state, next: next + 1), above, isProtected))
        frames.append((.items(item.children, next: 0), path.steps, isProtected))
        guard state.answers.count > 1, showsAny(item.children, below: path) else { return nil }
        return RenderVisit(kind: .answer(state.answers[next]), item: item, path: path, state: state)
    }

    /// Whether any of the items is visible.
    private func showsAny(_ items: [FormItem], below path: ItemPath) -> Bool {
        items.contains { item in
            guard !item.isHidden, !session.isNote(item) else { return false }
            return scope.includesDisabled
                || session.isEnabled(ItemPath(path.steps + [ItemPath.Step(linkID: item.linkID)]))
        }
    }
}

extension [FormItem] {
    /// Returns the index of the item with the linkId in the list.
    fileprivate func index(of linkID: String, in form: QuestionnaireForm) -> Int? {
        if let item = form.item(linkID), indices.contains(item.position), self[item.position] === item {
            return item.position
        }
        // A linkId that the form contains twice is searched for in the list.
        return firstIndex { $0.linkID == linkID }
    }
}
