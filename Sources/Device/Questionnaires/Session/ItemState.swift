/// The state of one item at one place: its answers, or the instances of a group.
package struct ItemState: Sendable {
    package let item: FormItem
    package var answers: [AnswerState] = []
    /// The instances of a group; a session always has one to fill in, a response that was read may have none.
    package var groups: [GroupState] = []
    /// Whether its conditions hold and those of all items above it.
    package var isEnabled = true
    /// The items that stood below the answer of a question that takes one answer, when the answer was taken away.
    var detached: [ItemState]?
    /// Where it stands in the response it was read from.
    var expression: String?

    /// An item nobody has answered yet.
    init(empty item: FormItem, withGroup: Bool) {
        self.item = item
        if item.type == .group, withGroup { groups = [GroupState(of: item)] }
    }

    /// Where items stand below it: in each instance, and below each answer.
    var places: [[ItemState]] { groups.map(\.children) + answers.map(\.children) }

    /// Whether it or anything below it has an answer.
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
    /// Returns the index of the item with the linkId among these.
    func index(of linkID: String, in form: QuestionnaireForm) -> Int? {
        if let item = form.item(linkID), indices.contains(item.position), self[item.position].item === item {
            return item.position
        }
        // A linkId that the form has twice is found where it stands.
        return firstIndex { $0.item.linkID == linkID }
    }

    /// Puts the form's initial values in.
    mutating func fillInitial() {
        for index in indices {
            let item = self[index].item
            self[index].answers = item.initial.map { AnswerState(initially: $0, of: item) }
            for group in self[index].groups.indices { self[index].groups[group].children.fillInitial() }
        }
    }
}

extension AnswerState {
    /// An answer with the initial values of the items below it.
    init(initially value: AnswerValue, of item: FormItem) {
        self.init(value, of: item)
        children.fillInitial()
    }
}
