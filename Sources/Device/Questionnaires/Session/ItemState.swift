/// What is known of one item at one place: its answers, or the instances of a group.
struct ItemState: Sendable {
    let item: FormItem
    var answers: [AnswerState] = []
    /// The instances of a group; a front end always has one to fill in.
    var groups: [GroupState] = []
    /// Whether its conditions hold and those of all items above it.
    var isEnabled = true
    /// Where it stands in the response it was read from.
    var expression: String?

    /// An item nobody has answered yet.
    init(empty item: FormItem, withGroup: Bool) {
        self.item = item
        if item.type == .group, withGroup { groups = [GroupState(of: item)] }
    }
}

/// One answer with the items below it.
struct AnswerState: Sendable {
    var value: AnswerValue
    var children: [ItemState]
    var expression: String?

    init(_ value: AnswerValue, of item: FormItem, withGroups: Bool = true) {
        self.value = value
        children = item.children.map { ItemState(empty: $0, withGroup: withGroups) }
    }
}

/// One instance of a group.
struct GroupState: Sendable {
    var children: [ItemState]
    var expression: String?

    init(of item: FormItem) { children = item.children.map { ItemState(empty: $0, withGroup: true) } }

    init(children: [ItemState], expression: String?) {
        self.children = children
        self.expression = expression
    }

    /// Whether any question inside has an answer.
    var hasAnswers: Bool { children.contains { $0.hasAnswers } }
}

extension ItemState {
    /// Whether it or anything below it has an answer.
    var hasAnswers: Bool { !answers.isEmpty || groups.contains { $0.hasAnswers } }
}
