import FHIR

extension FormSession {
    /// All entered answers, including those of disabled items, to continue later.
    public var snapshot: JSON { Self.snapshot(root) }

    /// Creates a session from a snapshot. Answers to items that the form no longer has are omitted.
    public init(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), snapshot: JSON) {
        self.init(form, rules: rules, root: Self.states(form.items, snapshot))
    }

    /// Creates a session that continues an earlier response. Answers that do not fit the form are omitted.
    public init(_ form: QuestionnaireForm, rules: EnablementRules = EnablementRules(), response: QuestionnaireResponse)
    {
        var reader = ResponseReader(form: form)
        var root = reader.read(response)
        Self.openGroups(&root)
        self.init(form, rules: rules, root: root)
    }

    private static func snapshot(_ states: [ItemState]) -> JSON {
        .array(
            states.compactMap { state in
                var object = JSONObject()
                object["linkId"] = .string(state.item.linkID)
                if state.groups.count > 1 || state.groups.contains(where: \.hasAnswers) {
                    object["groups"] = .array(state.groups.map { snapshot($0.children) })
                }
                if !state.answers.isEmpty {
                    object["answers"] = .array(
                        state.answers.map { answer in
                            var entry = JSONObject()
                            entry["value" + answer.value.type] = answer.value.json
                            if !answer.children.isEmpty { entry["item"] = snapshot(answer.children) }
                            return .object(entry)
                        })
                }
                return object.count > 1 ? .object(object) : nil
            })
    }

    private static func states(_ items: [FormItem], _ snapshot: JSON?) -> [ItemState] {
        var states = items.map { ItemState(empty: $0, withGroup: true) }
        for entry in snapshot?.array ?? [] {
            guard let linkID = entry["linkId"]?.string,
                let index = states.firstIndex(where: { $0.item.linkID == linkID })
            else { continue }
            let item = states[index].item
            if let groups = entry["groups"]?.array, item.type == .group, !groups.isEmpty {
                states[index].groups = groups.prefix(item.repeats ? maximumInstances : 1).map {
                    GroupState(children: Self.states(item.children, $0), expression: nil)
                }
            }
            guard item.isQuestion else { continue }
            states[index].answers = (entry["answers"]?.array ?? []).compactMap { answer in
                guard let value = QuestionnaireResponse.Item.Answer(json: answer)?.value else {
                    return nil
                }
                return AnswerState(value, children: Self.states(item.children, answer["item"]))
            }
        }
        return states
    }

    /// Adds an empty instance to each group without instances: a response omits empty groups, but a session needs one
    /// to fill in.
    private static func openGroups(_ states: inout [ItemState]) {
        for index in states.indices {
            if states[index].item.type == .group, states[index].groups.isEmpty {
                states[index].groups = [GroupState(of: states[index].item)]
                continue
            }
            for group in states[index].groups.indices { openGroups(&states[index].groups[group].children) }
            for answer in states[index].answers.indices { openGroups(&states[index].answers[answer].children) }
        }
    }
}
