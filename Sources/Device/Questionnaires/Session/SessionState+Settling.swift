import FHIR
import FHIRPath

extension SessionState {
    /// Maximum number of computations for one change: each node of the form this many times.
    private static let maximumRounds = 20

    /// Maximum number of steps of the expressions for one change.
    static let maximumSteps = 50_000_000

    /// Evaluates the pending computations.
    ///
    /// - Parameter now: the time of the change.
    mutating func settle(at now: DateTime, budget: StepBudget = StepBudget(steps: maximumSteps)) {
        if form.program.readsClock { cache.forgetVariables() }
        moment = now
        var left = (nodes.count + 1_000) * Self.maximumRounds
        settleRanked(&left, budget: budget)
        // Values that read the whole response are computed in turns until they no longer change.
        let whole = form.dependencies.wholeValues
        guard !whole.isEmpty else { return }
        for _ in 0...whole.count {
            let before = revision
            for item in whole {
                for node in nodes(of: form.all[item], from: -1, slot: nil) where nodes[node].isLive { mark(item, node) }
            }
            settleRanked(&left, budget: budget)
            if revision == before { break }
        }
    }

    /// Evaluates what depends on the time again.
    mutating func settleAgain(at now: DateTime) {
        let program = form.program
        guard program.readsClock else { return }
        for item in form.all {
            guard let own = item.expressions,
                [own.enablement, own.calculated].contains(where: { $0.map { program.entries[$0].readsClock } ?? false })
            else { continue }
            for node in nodes(of: item, from: -1, slot: nil) where nodes[node].isLive { mark(item.index, node) }
        }
        settle(at: now)
    }

    private mutating func settleRanked(_ left: inout Int, budget: StepBudget) {
        while let item = queue.popFirst() {
            guard var marked = pending.removeValue(forKey: item) else { continue }
            if let circle = form.dependencies.circles[item] {
                settle(circle: circle, &left)
                continue
            }
            if marked.count > 1 {
                var seen: Set<Int> = []
                marked.removeAll { !seen.insert($0).inserted }
            }
            for node in marked where nodes[node].isLive && nodes[node].item.index == item {
                left -= 1
                guard left > 0 else { return stop() }
                compute(node, budget: budget)
            }
        }
    }

    /// Drops the pending computations: a form whose expressions do not settle has no result.
    private mutating func stop() {
        while queue.popFirst() != nil {}
        pending.removeAll()
    }

    /// Computes the enablement of a node, and its initial and calculated answers.
    private mutating func compute(_ node: Int, budget: StepBudget) {
        setFulfils(enablement(of: node, budget: budget), node)
        guard nodes[node].isEnabled, !isChecked, let expressions = nodes[node].item.expressions else { return }
        if nodes[node].isNew, expressions.initial != nil || expressions.population != nil {
            nodes[node].isNew = false
            if let population = expressions.population { populate(node, population, budget: budget) }
            if let initial = expressions.initial { enterInitial(node, initial, budget: budget) }
        }
        if let calculated = expressions.calculated, !nodes[node].isEdited || nodes[node].item.isFixed {
            calculate(node, calculated, budget: budget)
        }
    }

    // MARK: Enablement

    /// Returns whether the conditions of a node and its expression are fulfilled. An expression that is undecided or
    /// fails disables nothing.
    private mutating func enablement(of node: Int, budget: StepBudget) -> Bool {
        guard fulfilsConditions(node) else { return false }
        guard let expression = nodes[node].item.expressions?.enablement else { return true }
        let key = OutcomeKey(node: node, kind: .enablement)
        var isOwnOpen = false
        var fulfils = true
        let outcome = withCache { state, cache in
            state.outcome(of: expression, at: ExpressionScope(node: node), budget: budget, cache: &cache)
        }
        switch outcome {
        case .success(let values):
            outcomes[key] = nil
            if values.count > 1 {
                outcomes[key] = .failed("The expression has several values instead of true or false.")
                isOwnOpen = true
            } else {
                fulfils = values.first.map(Self.isTrue) ?? false
            }
        case .failure(let failure):
            outcomes[key] = failure
            isOwnOpen = true
        }
        if nodes[node].isOwnOpen != isOwnOpen {
            nodes[node].isOwnOpen = isOwnOpen
            setOpen(node, (nodes[node].parent >= 0 && nodes[nodes[node].parent].isOpen) || isOwnOpen)
        }
        stale.insert(node)
        return fulfils
    }

    /// A single item that is not a boolean counts as true
    /// (<https://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections>).
    static func isTrue(_ value: FHIRPathValue) -> Bool { value.json.bool ?? true }

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
        let dependent = DependencyGraph.Dependent(kind: .value, index: target.index, sharedDepth: source.sharedDepth)
        let found = targets(of: dependent, from: node)
        let answers = found.count == 1 ? enabledAnswers(found[0]) : found.flatMap(enabledAnswers)
        return target.type == .quantity ? answers.map(target.measured) : answers
    }

    private func enabledAnswers(_ node: Int) -> [AnswerValue] { nodes[node].isEnabled ? nodes[node].answers : [] }

    mutating func setFulfils(_ fulfils: Bool, _ node: Int) {
        nodes[node].fulfils = fulfils
        let parent = nodes[node].parent
        setEnabled(node, fulfils && (parent < 0 || nodes[parent].isEnabled))
    }

    private mutating func setEnabled(_ node: Int, _ isEnabled: Bool) {
        guard nodes[node].isEnabled != isEnabled else { return }
        nodes[node].isEnabled = isEnabled
        refreshCount(node)
        refreshContent(node)
        stale.insert(node)
        if !nodes[node].answers.isEmpty { changed(node) }
        // An item that is enabled again is calculated again.
        if isEnabled, nodes[node].item.expressions != nil, form.dependencies.isComputed[nodes[node].item.index] {
            mark(nodes[node].item.index, node)
        }
        let count = nodes[node].item.children.count
        for block in nodes[node].blocks where block >= 0 {
            for child in block..<(block + count) { setEnabled(child, isEnabled && nodes[child].fulfils) }
        }
    }

    private mutating func setOpen(_ node: Int, _ isOpen: Bool) {
        guard nodes[node].isOpen != isOpen else { return }
        nodes[node].isOpen = isOpen
        stale.insert(node)
        let count = nodes[node].item.children.count
        for block in nodes[node].blocks where block >= 0 {
            for child in block..<(block + count) { setOpen(child, isOpen || nodes[child].isOwnOpen) }
        }
    }

    /// Computes items whose conditions depend on each other: all are enabled first, and the conditions are evaluated
    /// until nothing changes, up to as many times as there are items.
    private mutating func settle(circle: Int, _ left: inout Int) {
        openCircle = circle
        defer { openCircle = nil }
        let items = form.dependencies.circleItems[circle]
        for item in items { pending[item] = nil }
        for item in items {
            for node in nodes(of: form.all[item], from: -1, slot: nil) where nodes[node].isLive {
                setFulfils(true, node)
            }
        }
        for _ in items {
            var hasChanged = false
            for item in items {
                for node in nodes(of: form.all[item], from: -1, slot: nil) where nodes[node].isLive {
                    left -= 1
                    guard left > 0 else { return }
                    let fulfils = fulfilsConditions(node)
                    if nodes[node].fulfils != fulfils { hasChanged = true }
                    setFulfils(fulfils, node)
                }
            }
            if !hasChanged { return }
        }
    }

    // MARK: Answers

    private mutating func calculate(_ node: Int, _ expression: Int, budget: StepBudget) {
        let key = OutcomeKey(node: node, kind: .calculation)
        let outcome = withCache { state, cache in
            state.calculated(node, expression, budget: budget, cache: &cache)
        }
        let isLoaded = nodes[node].isLoaded
        nodes[node].isLoaded = false
        switch outcome {
        case .success(let values):
            outcomes[key] = nil
            let answers = nodes[node].answers
            guard values.count != answers.count || !zip(values, answers).allSatisfy({ $0 == $1 }) else { return }
            if isLoaded, !nodes[node].item.isFixed {
                nodes[node].isEdited = true
                return
            }
            setAnswers(values, node)
        case .failure(let failure):
            outcomes[key] = failure
            if isLoaded, !nodes[node].item.isFixed {
                nodes[node].isEdited = true
            } else if !failure.isUndecided, !nodes[node].answers.isEmpty {
                setAnswers([], node)
            }
        }
        stale.insert(node)
    }

    /// Returns the answers that an expression calculates for a node.
    func calculated(
        _ node: Int, _ expression: Int, isInitial: Bool = false, budget: StepBudget, cache: inout EvaluationCache
    ) -> Result<[AnswerValue], ExpressionFailure> {
        let item = nodes[node].item
        let found = outcome(of: expression, at: ExpressionScope(node: node), budget: budget, cache: &cache)
        var options = item.options
        if item.expressions?.options != nil || item.expressions?.valueSet != nil,
            case .success(let current) = self.options(node, budget: budget, cache: &cache)
        {
            options = current
        }
        return found.flatMap { AnswerConversion(item: item, options: options, isInitial: isInitial).answers($0) }
    }

    private mutating func enterInitial(_ node: Int, _ expression: Int, budget: StepBudget) {
        guard nodes[node].answers.isEmpty else { return }
        let key = OutcomeKey(node: node, kind: .initial)
        let outcome = withCache { state, cache in
            state.calculated(node, expression, isInitial: true, budget: budget, cache: &cache)
        }
        switch outcome {
        case .success(let values):
            outcomes[key] = nil
            if !values.isEmpty { setAnswers(values, node) }
        case .failure(let failure): outcomes[key] = failure
        }
        stale.insert(node)
    }

    /// Makes an instance of a group for each result of its expression; a group that does not repeat gets all results.
    private mutating func populate(
        _ node: Int, _ population: (name: String?, expression: Int), budget: StepBudget
    ) {
        let key = OutcomeKey(node: node, kind: .population)
        let outcome = withCache { state, cache in
            state.outcome(of: population.expression, at: ExpressionScope(node: node), budget: budget, cache: &cache)
        }
        switch outcome {
        case .success(let values):
            outcomes[key] = nil
            let item = nodes[node].item
            guard item.type == .group, !values.isEmpty else { return }
            let instances = item.repeats ? values.prefix(Self.maximumInstances).map { [$0] } : [values]
            for (slot, values) in instances.enumerated() {
                if slot >= nodes[node].blocks.count { addInstance(node) }
                let block = nodes[node].blocks[slot]
                guard block >= 0 else { continue }
                populations[block] = values
                // The items inside were made before the value was known.
                for child in block..<(block + item.children.count) {
                    if form.dependencies.isComputed[nodes[child].item.index] { mark(nodes[child].item.index, child) }
                }
            }
        case .failure(let failure): outcomes[key] = failure
        }
        stale.insert(node)
    }
}
