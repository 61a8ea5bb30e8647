import FHIR
import FHIRPath

/// The flat state of a session: the nodes of all items, and the computations that are pending.
///
/// 1. A change of answers or of instances marks the computations that read them (``DependencyGraph``).
/// 2. ``settle(at:budget:)`` evaluates them in the graph's order, so that each follows those that it reads. A computation
///    that changes something marks others.
/// 3. Problems are computed when they are requested, for the nodes that a change could have affected.
struct SessionState: Sendable {
    let form: QuestionnaireForm
    let rules: EnablementRules
    var context: FormContext
    /// Whether the state is that of a response that is checked: nothing is calculated into it, and all of its answers
    /// are kept.
    let isChecked: Bool

    var nodes: [SessionNode] = []
    /// The blocks that can be used again, by the index of their first item.
    var free: [Int: [Int]] = [:]

    /// The nodes whose values are to be computed, by item.
    var pending: [Int: [Int]] = [:]
    /// The ranks of these items.
    var queue = RankQueue()
    /// The circle that is being computed; its items are not marked.
    var openCircle: Int?
    /// The number of changes.
    var revision = 0

    /// The outcomes of expressions that decide about nodes, if they are not values.
    var outcomes: [OutcomeKey: ExpressionFailure] = [:]
    var cache = EvaluationCache()
    /// The elements of which the instances of groups were made, by the block of the instance.
    var populations: [Int: [FHIRPathValue]] = [:]

    /// The nodes whose problems are to be computed again; -1 for the rules of the form.
    var stale: Set<Int> = [-1]
    /// The problems by node.
    var problems: [Int: [NodeProblem]] = [:]
    /// The number of visible questions with an answer, and of all visible questions.
    var answered = 0
    var questions = 0
    /// The number of changes of the visible questions, and of the groups that have answers.
    var shape = 0

    /// The time of the last computation.
    var moment: DateTime
    /// The response that is checked; its elements other than items are those of `%resource`.
    var header = JSONObject(resourceType: QuestionnaireResponse.resourceType)

    /// A node with the kind of an expression.
    struct OutcomeKey: Sendable, Hashable {
        let node: Int
        let kind: Kind

        enum Kind: Sendable, Hashable { case enablement, calculation, initial, population }
    }

    init(
        _ form: QuestionnaireForm, rules: EnablementRules, context: FormContext, isChecked: Bool, moment: DateTime
    ) {
        self.form = form
        self.rules = rules
        self.context = context
        self.isChecked = isChecked
        self.moment = moment
        if let canonical = form.canonical { header["questionnaire"] = .string(canonical) }
        header["status"] = .string("in-progress")
    }

    /// Maximum number of instances of a group.
    static let maximumInstances = 1000

    /// Returns the position of the item with a linkId below a node.
    func position(of linkID: String, below parent: Int) -> Int? {
        let items = items(below: parent)
        if let item = form.item(linkID), items.indices.contains(item.position), items[item.position] === item {
            return item.position
        }
        // A linkId that the form contains twice is searched for in the list.
        return items.firstIndex { $0.linkID == linkID }
    }

    /// Returns the path of a node.
    func path(of node: Int, slot: Int? = nil) -> ItemPath {
        var steps = [ItemPath.Step(linkID: nodes[node].item.linkID, instance: slot ?? 0)]
        var below = node
        while nodes[below].parent >= 0 {
            let parent = nodes[below].parent
            steps.append(ItemPath.Step(linkID: nodes[parent].item.linkID, instance: nodes[below].slot))
            below = parent
        }
        return ItemPath(steps.reversed())
    }

    // MARK: Blocks

    /// The items of a block below a node; the top-level items for -1.
    func items(below node: Int) -> [FormItem] { node < 0 ? form.items : nodes[node].item.children }

    /// Creates a block of nodes with the blocks inside of it, and marks what must be computed.
    ///
    /// - Parameters:
    ///   - hasInitial: whether questions get their initial values.
    ///   - hasGroups: whether groups get one instance.
    mutating func makeBlock(below parent: Int, slot: Int, hasInitial: Bool, hasGroups: Bool = true) -> Int {
        let items = items(below: parent)
        guard let first = items.first else { return -1 }
        let start: Int
        if let reused = free[first.index]?.popLast() {
            start = reused
            for (offset, item) in items.enumerated() {
                nodes[start + offset] = SessionNode(item, parent: parent, slot: slot, block: start)
            }
        } else {
            start = nodes.count
            for item in items { nodes.append(SessionNode(item, parent: parent, slot: slot, block: start)) }
        }
        let (isEnabled, isOpen) = parent < 0 ? (true, false) : (nodes[parent].isEnabled, nodes[parent].isOpen)
        for (offset, item) in items.enumerated() {
            let node = start + offset
            if !isEnabled { nodes[node].isEnabled = false }
            if isOpen { nodes[node].isOpen = true }
            if hasInitial, !isChecked { nodes[node].isNew = true }
            if item.type == .group {
                guard hasGroups else {
                    entered(node)
                    continue
                }
                nodes[node].blocks = [makeBlock(below: node, slot: 0, hasInitial: hasInitial)]
            } else if hasInitial, !item.initial.isEmpty {
                nodes[node].answers = item.initial
                nodes[node].blocks = item.initial.indices.map { makeBlock(below: node, slot: $0, hasInitial: true) }
            }
            entered(node)
        }
        return start
    }

    /// Marks a node that is now part of the state.
    mutating func entered(_ node: Int) {
        let item = nodes[node].item
        nodes[node].isLive = true
        if form.dependencies.isComputed[item.index] { mark(item.index, node) }
        // The problems of a response that is checked are computed once, at the end.
        guard !isChecked else { return }
        refreshCount(node)
        refreshContent(node)
        stale.insert(node)
        if !nodes[node].answers.isEmpty { changed(node) }
    }

    /// Takes a block out of the state. Its nodes can be used again.
    mutating func removeBlock(_ block: Int, below parent: Int) {
        leave(block, below: parent)
        release(block, below: parent)
    }

    /// Removes the effects of a block's nodes, and keeps the nodes.
    mutating func leave(_ block: Int, below parent: Int) {
        guard block >= 0 else { return }
        for node in block..<(block + items(below: parent).count) {
            for below in nodes[node].blocks { leave(below, below: node) }
            nodes[node].isLive = false
            if !nodes[node].answers.isEmpty { changed(node) }
            setCount(.none, of: node)
            setContent(false, of: node)
            stale.remove(node)
            problems[node] = nil
        }
    }

    /// Restores the effects of a block that was taken out.
    mutating func enter(_ block: Int, below parent: Int) {
        guard block >= 0 else { return }
        for node in block..<(block + items(below: parent).count) {
            nodes[node].isEnabled = nodes[parent].isEnabled && nodes[node].fulfils
            nodes[node].isOpen = nodes[parent].isOpen || nodes[node].isOwnOpen
            for below in nodes[node].blocks { enter(below, below: node) }
            entered(node)
        }
    }

    private mutating func release(_ block: Int, below parent: Int) {
        guard block >= 0 else { return }
        let items = items(below: parent)
        for node in block..<(block + items.count) {
            for below in nodes[node].blocks { release(below, below: node) }
            if let detached = nodes[node].detached { release(detached, below: node) }
            nodes[node].blocks = []
            nodes[node].answers = []
            nodes[node].detached = nil
            for kind in [OutcomeKey.Kind.enablement, .calculation, .initial, .population] where !outcomes.isEmpty {
                outcomes[OutcomeKey(node: node, kind: kind)] = nil
            }
        }
        populations[block] = nil
        if let first = items.first { free[first.index, default: []].append(block) }
    }

    /// Sets the instance or answer number of a block's nodes.
    mutating func renumber(_ block: Int, below parent: Int, slot: Int) {
        guard block >= 0, nodes[block].slot != slot else { return }
        for node in block..<(block + items(below: parent).count) { nodes[node].slot = slot }
    }

    // MARK: Counters

    mutating func refreshCount(_ node: Int) {
        let item = nodes[node].item
        guard nodes[node].isEnabled, item.isQuestion, !item.isReadOnly, !item.isConcealed else {
            setCount(.none, of: node)
            return
        }
        setCount(nodes[node].answers.isEmpty ? .unanswered : .answered, of: node)
    }

    private mutating func setCount(_ count: SessionNode.Count, of node: Int) {
        let old = nodes[node].count
        guard old != count else { return }
        nodes[node].count = count
        if old == .none || count == .none { shape += 1 }
        if old == .answered { answered -= 1 }
        if old != .none { questions -= 1 }
        if count == .answered { answered += 1 }
        if count != .none { questions += 1 }
    }

    mutating func refreshContent(_ node: Int) {
        guard nodes[node].isEnabled else {
            setContent(false, of: node)
            return
        }
        let hasContent =
            nodes[node].item.type == .group
            ? nodes[node].blocks.contains { $0 >= 0 && nodes[$0].content > 0 } : !nodes[node].answers.isEmpty
        setContent(hasContent, of: node)
    }

    private mutating func setContent(_ hasContent: Bool, of node: Int) {
        guard nodes[node].hasContent != hasContent else { return }
        nodes[node].hasContent = hasContent
        if nodes[node].item.type == .group { shape += 1 }
        nodes[nodes[node].block].content += hasContent ? 1 : -1
        let parent = nodes[node].parent
        guard parent >= 0 else { return }
        if !isChecked { stale.insert(parent) }
        // The instance gains or loses its only content.
        guard nodes[nodes[node].block].content == (hasContent ? 1 : 0) else { return }
        if !isChecked {
            for position in nodes[parent].item.requiredChildren { stale.insert(nodes[node].block + position) }
        }
        refreshContent(parent)
    }

    // MARK: Changes

    /// Marks the computations that read the answers of a node.
    mutating func changed(_ node: Int) {
        revision += 1
        cache.forget(node, in: nodes)
        let item = nodes[node].item
        stale.insert(node)
        if !form.program.root.constraints.isEmpty { stale.insert(-1) }
        let dependencies = form.dependencies
        for variable in dependencies.wholeVariables { cache.forget(variable: variable, in: form.program) }
        if !dependencies.wholeChecks.isEmpty { markAll(dependencies.wholeChecks) }
        guard !dependencies.dependents.isEmpty else { return }
        markDependents(of: item.index, node)
        for ancestor in item.ancestors { markDependents(of: ancestor, node) }
    }

    private mutating func markDependents(of source: Int, _ node: Int) {
        guard let dependents = form.dependencies.dependents[source] else { return }
        for dependent in dependents {
            switch dependent.kind {
            case .variable: cache.forget(variable: dependent.index, in: form.program)
            case .value:
                if let openCircle, form.dependencies.circles[dependent.index] == openCircle { continue }
                for target in targets(of: dependent, from: node) { mark(dependent.index, target) }
            case .check: stale.formUnion(targets(of: dependent, from: node))
            }
        }
    }

    private mutating func markAll(_ items: Set<Int>) {
        for index in items { stale.formUnion(nodes(of: form.all[index], from: -1, slot: nil)) }
    }

    mutating func mark(_ item: Int, _ node: Int) {
        pending[item, default: []].append(node)
        if pending[item]?.count == 1 { queue.insert(form.dependencies.ranks[item], item) }
    }

    /// Returns the nodes of a computation inside the instances that it shares with a node.
    func targets(of dependent: DependencyGraph.Dependent, from node: Int) -> [Int] {
        let target = form.all[dependent.index]
        guard dependent.sharedDepth > 0 else { return nodes(of: target, from: -1, slot: nil) }
        var above = node
        for _ in 0..<max(0, nodes[node].item.depth - dependent.sharedDepth) { above = nodes[above].parent }
        return descend(to: target, blocks: [nodes[above].block], depth: dependent.sharedDepth)
    }

    /// Returns the nodes of an item below a node, or of the whole form for -1.
    ///
    /// - Parameter slot: the only instance; nil for all.
    func nodes(of target: FormItem, from node: Int, slot: Int?) -> [Int] {
        guard node >= 0 else { return nodes.isEmpty ? [] : descend(to: target, blocks: [0], depth: 0) }
        let all = nodes[node].blocks
        let blocks = slot.map { all.indices.contains($0) ? [all[$0]] : [] } ?? all
        return descend(to: target, blocks: blocks, depth: nodes[node].item.depth + 1)
    }

    private func descend(to target: FormItem, blocks: [Int], depth: Int) -> [Int] {
        guard depth <= target.depth else { return [] }
        var blocks = blocks
        for index in target.ancestors[depth...] {
            let position = form.all[index].position
            blocks = blocks.flatMap { $0 < 0 ? [] : nodes[$0 + position].blocks }
        }
        return blocks.compactMap { $0 < 0 ? nil : $0 + target.position }
    }
}
