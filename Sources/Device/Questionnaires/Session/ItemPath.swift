/// The path of an item in a session: from the top, each item by its linkId and its repetition, counted from 0.
///
/// The text form is `group[1]/child`; without a number it is the first repetition. Items below an answer are below the
/// question: `question[0]/detail` is below the first answer.
public struct ItemPath: Sendable, Hashable, CustomStringConvertible {
    /// One item of a path, with the index of its repetition.
    public struct Step: Sendable, Hashable {
        /// The linkId of the item.
        public let linkID: String
        /// The instance of a group, or the answer of a question that has items below, counted from 0.
        public var instance: Int

        /// Creates a step; without a number it is the first repetition.
        public init(linkID: String, instance: Int = 0) {
            self.linkID = linkID
            self.instance = instance
        }
    }

    /// The steps from the top of the form to the item itself.
    public var steps: [Step]

    /// Creates a path from its steps.
    public init(_ steps: [Step]) { self.steps = steps }

    public var description: String {
        steps.enumerated().map { index, step in
            step.instance == 0 ? step.linkID : "\(step.linkID)[\(step.instance)]"
        }.joined(separator: "/")
    }
}
