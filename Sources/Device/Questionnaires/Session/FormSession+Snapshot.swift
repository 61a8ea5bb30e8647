import FHIR

extension FormSession {
    /// All entered answers, including those of disabled items, to continue later.
    public var snapshot: JSON { state.nodes.isEmpty ? .array([]) : snapshot(of: 0, below: -1) }

    /// Creates a session from a snapshot. Answers to items that the form no longer has are omitted. A calculated answer
    /// that differs from its calculation has been edited.
    public init(
        _ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), context: FormContext = FormContext(),
        clock: @escaping @Sendable () -> DateTime = { .now() }, snapshot: JSON
    ) {
        var state = SessionState(form, rules: rules, context: context, isChecked: false, moment: clock())
        let root = state.makeBlock(below: -1, slot: 0, hasInitial: false)
        state.load(snapshot, into: root, below: -1)
        self.init(state, clock: clock)
    }

    /// Creates a session that continues an earlier response. Answers that do not fit the form are omitted. A calculated
    /// answer that differs from its calculation has been edited.
    public init(
        _ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), context: FormContext = FormContext(),
        clock: @escaping @Sendable () -> DateTime = { .now() }, response: QuestionnaireResponse
    ) {
        let state = SessionState(form, rules: rules, context: context, isChecked: false, moment: clock())
        var reader = ResponseReader(state)
        reader.read(response)
        reader.state.openGroups()
        self.init(reader.state, clock: clock)
    }

    private func snapshot(of block: Int, below parent: Int) -> JSON {
        guard block >= 0 else { return .array([]) }
        return .array(
            (block..<(block + state.items(below: parent).count)).compactMap { node in
                let (item, answers, blocks) = (
                    state.nodes[node].item, state.nodes[node].answers, state.nodes[node].blocks
                )
                var object = JSONObject()
                object["linkId"] = .string(item.linkID)
                if item.type == .group {
                    let groups = blocks.map { snapshot(of: $0, below: node) }
                    if groups.count > 1 || groups.contains(where: { !($0.array ?? []).isEmpty }) {
                        object["groups"] = .array(groups)
                    }
                }
                if !answers.isEmpty {
                    object["answers"] = .array(
                        zip(answers, blocks).map { value, block in
                            var entry = JSONObject()
                            entry["value" + value.type] = value.json
                            if block >= 0 { entry["item"] = snapshot(of: block, below: node) }
                            return .object(entry)
                        })
                }
                if state.nodes[node].isEdited { object["edited"] = true }
                return object.count > 1 ? .object(object) : nil
            })
    }
}

extension SessionState {
    /// Enters the answers of a snapshot into a block.
    fileprivate mutating func load(_ snapshot: JSON?, into block: Int, below parent: Int) {
        guard block >= 0 else { return }
        for entry in snapshot?.array ?? [] {
            guard let linkID = entry["linkId"]?.string, let position = position(of: linkID, below: parent) else {
                continue
            }
            let node = block + position
            let item = nodes[node].item
            if let groups = entry["groups"]?.array, item.type == .group, !groups.isEmpty {
                for (slot, group) in groups.prefix(item.repeats ? Self.maximumInstances : 1).enumerated() {
                    if slot >= nodes[node].blocks.count {
                        nodes[node].blocks.append(-1)
                        nodes[node].blocks[slot] = makeBlock(below: node, slot: slot, hasInitial: false)
                    }
                    load(group, into: nodes[node].blocks[slot], below: node)
                }
            }
            guard item.isQuestion else { continue }
            for answer in entry["answers"]?.array ?? [] {
                guard let value = QuestionnaireResponse.Item.Answer(json: answer)?.value else { continue }
                let slot = nodes[node].answers.count
                nodes[node].answers.append(value)
                nodes[node].blocks.append(-1)
                nodes[node].blocks[slot] = makeBlock(below: node, slot: slot, hasInitial: false)
                load(answer["item"], into: nodes[node].blocks[slot], below: node)
            }
            loaded(node)
            if entry["edited"]?.bool ?? false {
                nodes[node].isEdited = item.expressions?.calculated != nil && !item.isFixed
            }
        }
    }

    /// Marks a node whose answers were loaded.
    mutating func loaded(_ node: Int) {
        nodes[node].isLoaded = nodes[node].item.expressions?.calculated != nil && !nodes[node].answers.isEmpty
        refreshCount(node)
        refreshContent(node)
    }

    /// Adds an empty instance to each group without instances: a response omits empty groups, but a session needs one
    /// to fill in.
    mutating func openGroups() {
        var node = 0
        // The nodes of new instances have instances of their own.
        let count = nodes.count
        while node < count {
            if nodes[node].item.type == .group, nodes[node].blocks.isEmpty {
                nodes[node].blocks = [-1]
                nodes[node].blocks[0] = makeBlock(below: node, slot: 0, hasInitial: false)
            }
            node += 1
        }
    }
}
