/// Where an item stands in a session: from the top, each item by its linkId and which repetition, counted from 0.
///
/// Written `group[1]/child`; without a number the first repetition is meant. Items below an answer stand below the
/// question: `question[0]/detail` is below the first answer.
public struct ItemPath: Sendable, Hashable, CustomStringConvertible {
    public struct Step: Sendable, Hashable {
        public let linkID: String
        public var instance: Int

        public init(linkID: String, instance: Int = 0) {
            self.linkID = linkID
            self.instance = instance
        }
    }

    public var steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    public var description: String {
        steps.enumerated().map { index, step in
            step.instance == 0 ? step.linkID : "\(step.linkID)[\(step.instance)]"
        }.joined(separator: "/")
    }
}
