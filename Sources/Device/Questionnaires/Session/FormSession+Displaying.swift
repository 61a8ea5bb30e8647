import FHIR

/// The session's answers to a front end's questions about one item at a path. A plan of the form asks nothing else.
extension FormSession {
    /// The state of an item at a path.
    package struct RenderState: Sendable {
        package var isEnabled = false
        /// Whether it is unknown whether the item is enabled.
        package var isOpen = false
        package var answers: [AnswerValue] = []
        /// For each instance of a group, whether it has answers.
        package var instances: [Bool] = []

        /// Creates the state of a path that is not enabled.
        package init() {}
    }

    /// Returns the state at a path; the number of its last step is ignored. Nil if the session has no such path, because
    /// a repetition or an answer above does not exist.
    package func renderState(at path: ItemPath) -> RenderState? {
        guard let node = node(at: path) else { return nil }
        let item = state.nodes[node].item
        var found = RenderState()
        found.isEnabled = state.nodes[node].isEnabled
        found.isOpen = state.nodes[node].isOpen
        found.answers = state.nodes[node].answers
        if item.type == .group {
            found.instances = state.nodes[node].blocks.map { state.hasAnswers(in: $0, below: node) }
        }
        return found
    }

    /// Returns the current text of an item.
    package func text(of item: FormItem, at path: ItemPath) -> String? {
        item.expressions?.text == nil ? item.text : text(at: path)
    }

    /// Returns the current options of a question; nil if it has none, or if their value set is not available.
    package func options(of item: FormItem, at path: ItemPath) -> [FormOption]? {
        item.expressions == nil ? item.options : options(at: path)
    }
}
