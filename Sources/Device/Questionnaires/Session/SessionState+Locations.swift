import FHIR

extension SessionState {
    /// The indexes of items in a response, by block: for each node, the index of its first item.
    struct Positions {
        fileprivate var byBlock: [Int: [Int]] = [:]
    }

    /// Returns the FHIRPath of a node in the response; for an item that is not in it, that of the item above.
    func expression(of node: Int, slot: Int?, positions: inout Positions) -> String {
        guard node >= 0 else { return "QuestionnaireResponse" }
        let parent = nodes[node].parent
        let above =
            parent < 0 ? "QuestionnaireResponse" : expression(of: parent, slot: nodes[node].slot, positions: &positions)
        let isGroup = nodes[node].item.type == .group
        guard let index = index(of: node, slot: isGroup ? slot ?? 0 : 0, positions: &positions) else { return above }
        let here = "\(above).item[\(index)]"
        guard !isGroup, let slot else { return here }
        return "\(here).answer[\(slot)]"
    }

    /// Returns the index of an instance of a group, or of a question, in the list that contains it.
    private func index(of node: Int, slot: Int, positions: inout Positions) -> Int? {
        if isChecked {
            let sources = nodes[node].sources
            return sources.indices.contains(slot) ? sources[slot] : sources.first
        }
        guard nodes[node].hasContent else { return nil }
        let block = nodes[node].block
        let known: [Int]
        if let found = positions.byBlock[block] {
            known = found
        } else {
            var next = 0
            known = (block..<(block + items(below: nodes[node].parent).count)).map { sibling in
                defer { next += items(of: sibling) }
                return next
            }
            positions.byBlock[block] = known
        }
        let first = known[node - block]
        guard nodes[node].item.type == .group else { return first }
        let earlier = nodes[node].blocks.prefix(slot).count { $0 >= 0 && nodes[$0].content > 0 }
        return first + earlier
    }

    /// Returns the number of items that a node is in the response.
    private func items(of node: Int) -> Int {
        guard nodes[node].hasContent else { return 0 }
        guard nodes[node].item.type == .group else { return 1 }
        return nodes[node].blocks.count { $0 >= 0 && nodes[$0].content > 0 }
    }

    /// The position of a node in the form and its instances, for sorting.
    private func order(of node: Int) -> [Int] {
        var keys: [Int] = []
        var node = node
        while node >= 0 {
            keys.append(node - nodes[node].block)
            keys.append(nodes[node].slot)
            node = nodes[node].parent
        }
        return keys.reversed()
    }

    /// Returns the problems of the current response in its order, each with the path of its item.
    ///
    /// - Parameters:
    ///   - status: the status of the response; in a response in progress, wrong numbers of answers are warnings.
    ///   - now: the time, for limits such as today.
    func responseProblems(
        status: QuestionnaireAnswersStatus, at now: DateTime
    ) -> [(path: ItemPath?, problem: ResponseProblem)] {
        var current = self
        if now != moment {
            current.moment = now
            if form.program.readsClock {
                current.cache.forgetVariables()
                current.stale.insert(-1)
            }
            for item in form.clockItems { current.stale.formUnion(nodes(of: form.all[item], from: -1, slot: nil)) }
        }
        current.refreshProblems()
        let isUnfinished = ResponseCheck.isUnfinished(status)
        var about = ResponseCheck(isUnfinished: isUnfinished)
        var response = QuestionnaireResponse(header)
        response.status = status
        about.about(form, response)
        var output: [(path: ItemPath?, problem: ResponseProblem)] = about.problems.map { (nil, $0) }
        let found = current.problems.map { (order: current.order(of: $0.key), node: $0.key, problems: $0.value) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
        var positions = Positions()
        for (_, node, problems) in found {
            for problem in problems {
                let expression = current.expression(of: node, slot: problem.slot, positions: &positions)
                output.append(
                    (
                        node < 0 ? nil : path(of: node, problem),
                        current.problem(problem, of: node, at: expression, isUnfinished: isUnfinished)
                    ))
            }
        }
        return output
    }

    private func path(of node: Int, _ problem: NodeProblem) -> ItemPath {
        path(of: node, slot: nodes[node].item.type == .group ? problem.slot : nil)
    }

    private func problem(
        _ problem: NodeProblem, of node: Int, at expression: String, isUnfinished: Bool
    ) -> ResponseProblem {
        ResponseProblem(
            code: problem.code, severity: problem.isOfCount && isUnfinished ? .warning : problem.severity,
            expression: expression, linkID: node < 0 ? nil : nodes[node].item.linkID, sentence: problem.message)
    }

    /// Returns the problems of a response that was read, in its order.
    mutating func checkedProblems(isUnfinished: Bool, budget: StepBudget) -> [ResponseProblem] {
        var output: [ResponseProblem] = []
        var positions = Positions()
        withCache { state, cache in
            var open: [Int] = []
            for problem in state.rootProblems(budget: budget, cache: &cache) {
                output.append(state.problem(problem, of: -1, at: "QuestionnaireResponse", isUnfinished: isUnfinished))
            }
            func push(_ block: Int, below parent: Int) {
                guard block >= 0 else { return }
                open += (block..<(block + state.items(below: parent).count)).reversed()
            }
            if !state.nodes.isEmpty { push(0, below: -1) }
            while let node = open.popLast() {
                for problem in state.problems(of: node, budget: budget, cache: &cache) {
                    let expression = state.expression(of: node, slot: problem.slot, positions: &positions)
                    output.append(state.problem(problem, of: node, at: expression, isUnfinished: isUnfinished))
                }
                guard state.nodes[node].isEnabled else { continue }
                for block in state.nodes[node].blocks.reversed() { push(block, below: node) }
            }
        }
        return output
    }
}
