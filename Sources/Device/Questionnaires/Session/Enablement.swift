import FHIR

/// Rules for the evaluation of conditions for which implementations differ.
public struct EnablementRules: Sendable, Hashable {
    /// Whether `!=` requires an answer. According to the specification no answer must equal the value, so that a
    /// question without an answer fulfils the condition. Some implementations require an answer that differs.
    public var notEqualNeedsAnswer: Bool

    /// Creates rules. The default is that of the specification.
    public init(notEqualNeedsAnswer: Bool = false) { self.notEqualNeedsAnswer = notEqualNeedsAnswer }
}

/// Determines the enabled items
/// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.enableWhen>).
///
/// 1. The states are flattened to nodes: one for each item in each instance, with siblings in adjacent nodes.
/// 2. Nodes are evaluated item by item in the graph's order, so that each depends only on evaluated ones. A disabled
///    item disables everything below it, and its answers are treated as absent by other conditions.
/// 3. Items in a cycle are evaluated again until nothing changes, up to as many times as there are such items.
struct Enablement {
    private struct Node {
        let item: FormItem
        let parent: Int
        /// The first node among its siblings.
        let block: Int
        let answers: [AnswerValue]
        /// For each instance or answer, the first node of the items below it.
        var blocks: [Int] = []
    }

    private let form: QuestionnaireForm
    private let rules: EnablementRules
    private var nodes: [Node] = []
    private var nodesOfItem: [[Int]]
    private var isEnabled: [Bool] = []

    /// Sets `isEnabled` of all states.
    static func update(_ root: inout [ItemState], form: QuestionnaireForm, rules: EnablementRules) {
        let (isEnabled, blocks) = evaluated(root, form: form, rules: rules)
        write(&root, block: 0, isEnabled: isEnabled, blocks: blocks)
    }

    /// Returns enablement and blocks by node. The working copy of the states is released before the result is written,
    /// so that writing does not copy them.
    private static func evaluated(
        _ root: [ItemState], form: QuestionnaireForm, rules: EnablementRules
    ) -> (isEnabled: [Bool], blocks: [[Int]]) {
        var enablement = Enablement(form: form, rules: rules)
        enablement.flatten(root)
        enablement.evaluate()
        return (enablement.isEnabled, enablement.nodes.map(\.blocks))
    }

    private init(form: QuestionnaireForm, rules: EnablementRules) {
        self.form = form
        self.rules = rules
        nodesOfItem = [[Int]](repeating: [], count: form.all.count)
    }

    private mutating func flatten(_ root: [ItemState]) {
        var open: [(states: [ItemState], parent: Int, block: Int)] = [(root, -1, 0)]
        var count = root.count
        var next = 0
        while next < open.count {
            let (states, parent, block) = open[next]
            next += 1
            for (position, state) in states.enumerated() {
                var node = Node(
                    item: state.item, parent: parent, block: block, answers: state.answers.map(\.value))
                for children in state.childLists where !children.isEmpty {
                    node.blocks.append(count)
                    open.append((children, block + position, count))
                    count += children.count
                }
                nodesOfItem[state.item.index].append(nodes.count)
                nodes.append(node)
            }
        }
        isEnabled = [Bool](repeating: true, count: nodes.count)
    }

    private mutating func evaluate() {
        for item in form.graph.order { _ = evaluate(item) }
        for _ in form.graph.circular {
            var changed = false
            for item in form.graph.circular where evaluate(item) { changed = true }
            if !changed { return }
        }
    }

    /// Returns whether anything changed.
    private mutating func evaluate(_ index: Int) -> Bool {
        var changed = false
        for node in nodesOfItem[index] {
            let parent = nodes[node].parent
            let enabled = (parent < 0 || isEnabled[parent]) && fulfilsConditions(node)
            if isEnabled[node] != enabled {
                isEnabled[node] = enabled
                changed = true
            }
        }
        return changed
    }

    private func fulfilsConditions(_ node: Int) -> Bool {
        let item = nodes[node].item
        let sources = form.graph.sources[item.index]
        guard !sources.isEmpty else { return true }
        func holds(_ source: EnablementGraph.Source) -> Bool {
            source.condition.holds(answers(for: source, at: node), rules)
        }
        return item.enabledByAny ? sources.contains(where: holds) : sources.allSatisfy(holds)
    }

    /// Returns all answers of the nearest occurrences: those inside the same instance of the common ancestors.
    private func answers(for source: EnablementGraph.Source, at node: Int) -> [AnswerValue] {
        guard let target = source.target else { return [] }
        var ancestor = node
        for _ in source.sharedDepth..<nodes[node].item.depth { ancestor = nodes[ancestor].parent }
        var blocks = [nodes[ancestor].block]
        for index in target.ancestors[source.sharedDepth...] {
            let position = form.all[index].position
            blocks = blocks.flatMap { nodes[$0 + position].blocks }
        }
        // Below a disabled item the question is disabled too, so only the question itself is checked.
        let answers = blocks.flatMap { isEnabled[$0 + target.position] ? nodes[$0 + target.position].answers : [] }
        return target.type == .quantity ? answers.map(target.measured) : answers
    }

    private static func write(_ states: inout [ItemState], block: Int, isEnabled: [Bool], blocks: [[Int]]) {
        for index in states.indices {
            let node = block + index
            states[index].isEnabled = isEnabled[node]
            var next = blocks[node].makeIterator()
            for group in states[index].groups.indices where !states[index].groups[group].children.isEmpty {
                if let below = next.next() {
                    write(&states[index].groups[group].children, block: below, isEnabled: isEnabled, blocks: blocks)
                }
            }
            for answer in states[index].answers.indices where !states[index].answers[answer].children.isEmpty {
                if let below = next.next() {
                    write(&states[index].answers[answer].children, block: below, isEnabled: isEnabled, blocks: blocks)
                }
            }
        }
    }
}
