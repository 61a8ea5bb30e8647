/// One item at one path: a node of the flat state of a session.
///
/// The items of one level in one instance, or below one answer, are a block: consecutive nodes in the form's order.
struct SessionNode: Sendable {
    let item: FormItem
    /// The node of the item above; -1 at the top.
    let parent: Int
    /// The instance of the group above, or the answer of the question above.
    var slot: Int
    /// The first node of its block.
    let block: Int
    /// Whether the node is in use.
    var isLive = true

    /// The answers of a question.
    var answers: [AnswerValue] = []
    /// For each instance of a group and each answer of a question, the block of the items below; -1 if there are none.
    var blocks: [Int] = []
    /// The block below the removed answer of a question that takes one answer.
    var detached: Int?
    /// The indexes in the response that was read, of each instance of a group, or of the question.
    var sources: [Int] = []

    /// Whether its own conditions are fulfilled.
    var fulfils = true
    /// Whether its conditions and those of all items above are fulfilled.
    var isEnabled = true
    /// Whether an expression that decides about the item or one above is undecided or fails.
    var isOpen = false
    /// Whether its own expression is undecided or fails.
    var isOwnOpen = false
    /// Whether a person has changed the answers after they were calculated.
    var isEdited = false
    /// Whether its answers were loaded and are still to be compared with their calculation.
    var isLoaded = false
    /// Whether its initial expression is still to be evaluated.
    var isNew = false
    /// Whether the response contains it: it is enabled and it, or an item in it, has an answer.
    var hasContent = false
    /// The number of nodes with content in the block that begins here.
    var content = 0
    /// Its contribution to the progress.
    var count = Count.none

    enum Count: Sendable { case none, unanswered, answered }

    init(_ item: FormItem, parent: Int, slot: Int, block: Int) {
        self.item = item
        self.parent = parent
        self.slot = slot
        self.block = block
    }
}
