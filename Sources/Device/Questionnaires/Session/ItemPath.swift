/// The place of an item in a session: from the top, each item by its linkId and which repetition, counted from 0.
///
/// Written `group[1]/child`; without a number the first repetition is meant. Items below an answer stand below the
/// question: `question[0]/detail` is below the first answer.
public struct ItemPath: Sendable, Hashable, CustomStringConvertible {
    /// One item on the way, with the repetition of it that the way goes through.
    public struct Step: Sendable, Hashable {
        /// The linkId of the item.
        public let linkID: String
        /// The instance of a group, or the answer of a question that has items below, counted from 0.
        public var instance: Int

        /// Makes a step; without a number through the first repetition.
        public init(linkID: String, instance: Int = 0) {
            self.linkID = linkID
            self.instance = instance
        }
    }

    /// The steps from the top of the form to the item itself.
    public var steps: [Step]

    /// Makes a path of its steps.
    public init(_ steps: [Step]) { self.steps = steps }

    public var description: String {
        steps.enumerated().map { index, step in
            step.instance == 0 ? step.linkID : "\(step.linkID)[\(step.instance)]"
        }.joined(separator: "/")
    }
}
