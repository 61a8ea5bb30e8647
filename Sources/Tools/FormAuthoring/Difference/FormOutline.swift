import FHIR
import Questionnaires

/// The items of a form by their linkIds, with their parents.
struct FormOutline {
    /// The key of an item: its linkId, and a number if the form has the linkId several times.
    struct Key: Hashable {
        let linkID: String
        let occurrence: Int
    }

    /// One item.
    struct Node {
        let key: Key
        let source: Questionnaire.Item
        let item: FormItem
        /// The index of the item that contains it; nil at the top level.
        let parent: Int?
        /// The indexes of the items inside, in the form's order.
        var children: [Int] = []
    }

    let form: QuestionnaireForm
    /// The items in the form's order.
    private(set) var nodes: [Node] = []
    /// The items at the top level.
    private(set) var roots: [Int] = []
    private(set) var indexes: [Key: Int] = [:]
    private var counts: [String: Int] = [:]

    init(_ form: QuestionnaireForm) {
        self.form = form
        roots = read(form.questionnaire.item, form.items, parent: nil)
    }

    private mutating func read(_ sources: [Questionnaire.Item], _ items: [FormItem], parent: Int?) -> [Int] {
        zip(sources, items).map { source, item in
            let occurrence = counts[item.linkID, default: 0]
            counts[item.linkID] = occurrence + 1
            let key = Key(linkID: item.linkID, occurrence: occurrence)
            let index = nodes.count
            nodes.append(Node(key: key, source: source, item: item, parent: parent))
            indexes[key] = index
            nodes[index].children = read(source.item, item.children, parent: index)
            return index
        }
    }

    /// Whether several items have the same linkId.
    var hasRepeatedLinkIDs: Bool { counts.values.contains { $0 > 1 } }

    func node(_ key: Key) -> Node? { indexes[key].map { nodes[$0] } }

    /// Returns the key of the item that contains a node; nil at the top level.
    func parentKey(of node: Node) -> Key? { node.parent.map { nodes[$0].key } }
}
