/// The state of one item at one path: its answers, or the instances of a group.
package struct ItemState: Sendable {
    package let item: FormItem
    package var answers: [AnswerState] = []
    /// The instances of a group. In a session there is always one to fill in; a response that was read can have none.
    package var groups: [GroupState] = []
    /// Whether its conditions and those of all its ancestors are fulfilled.
    package var isEnabled = true
    /// The items below the removed answer of a question that takes one answer.
    var detached: [ItemState]?
    /// The FHIRPath of the item in the response that was read.
    var expression: String?

    /// Creates an item without answers.
    init(empty item: FormItem, withGroup: Bool) {
        self.item = item
        if item.type == .group, withGroup { groups = [GroupState(of: item)] }
    }

    /// The lists of items below it: in each instance, and below each answer.
    var childLists: [[ItemState]] { groups.map(\.children) + answers.map(\.children) }

    /// Whether the item or a descendant has an answer.
    var hasAnswers: Bool { !answers.isEmpty || groups.contains { $0.hasAnswers } }
}

/// One answer with the items below it.
package struct AnswerState: Sendable {
    package var value: AnswerValue
    package var children: [ItemState]
    var expression: String?

    init(_ value: AnswerValue, of item: FormItem) {
        self.value = value
        children = item.children.map { ItemState(empty: $0, withGroup: true) }
    }

    init(_ value: AnswerValue, children: [ItemState], expression: String? = nil) {
        self.value = value
        self.children = children
        self.expression = expression
    }
}

/// One instance of a group.
package struct GroupState: Sendable {
    package var children: [ItemState]
    var expression: String?

    init(of item: FormItem) { children = item.children.map { ItemState(empty: $0, withGroup: true) } }

    init(children: [ItemState], expression: String?) {
        self.children = children
        self.expression = expression
    }

    /// Whether any question inside has an answer.
    package var hasAnswers: Bool { children.contains { $0.hasAnswers } }
}

extension [ItemState] {
    /// Returns the index of the item with the linkId in the list.
    func index(of linkID: String, in form: QuestionnaireForm) -> Int? {
        if let item = form.item(linkID), indices.contains(item.position), self[item.position].item === item {
            return item.position
        }
        // A linkId that the form contains twice is searched for in the list.
        return firstIndex { $0.item.linkID == linkID }
    }

    /// Enters the form's initial values.
    mutating func fillInitial() {
        for index in indices {
            let item = self[index].item
            self[index].answers = item.initial.map { AnswerState(initially: $0, of: item) }
            for group in self[index].groups.indices { self[index].groups[group].children.fillInitial() }
        }
    }
}

extension AnswerState {
    /// Creates an answer with the initial values of the items below it.
    init(initially value: AnswerValue, of item: FormItem) {
        self.init(value, of: item)
        children.fillInitial()
    }
}
