import FHIR

/// The session's answers to a front end's questions about one item at a path. ``RenderPlan`` asks nothing else.
extension FormSession {
    /// The state of an item at a path.
    struct RenderState: Sendable {
        var isEnabled = false
        /// Whether it is unknown whether the item is enabled.
        var isOpen = false
        var answers: [AnswerValue] = []
        /// For each instance of a group, whether it has answers.
        var instances: [Bool] = []
    }

    /// Returns the state at a path; the number of its last step is ignored. Nil if the session has no such path, because
    /// a repetition or an answer above does not exist.
    func renderState(at path: ItemPath) -> RenderState? {
        guard let node = node(at: path) else { return nil }
        let item = state.nodes[node].item
        return RenderState(
            isEnabled: state.nodes[node].isEnabled, isOpen: state.nodes[node].isOpen,
            answers: state.nodes[node].answers,
            instances: item.type == .group ? state.nodes[node].blocks.map { state.hasAnswers(in: $0, below: node) } : []
        )
    }

    /// Returns the current text of an item.
    func text(of item: FormItem, at path: ItemPath) -> String? {
        item.expressions?.text == nil ? item.text : text(at: path)
    }

    /// Returns the current options of a question; nil if it has none, or if their value set is not available.
    func options(of item: FormItem, at path: ItemPath) -> [FormOption]? {
        item.expressions == nil ? item.options : options(at: path)
    }

    /// Returns the current limits of a question's answers.
    func limits(of item: FormItem, at path: ItemPath) -> RenderPlan.Limits {
        let limits = limits(at: path)
        return RenderPlan.Limits(item, minimum: limits.minimum, maximum: limits.maximum)
    }
}
