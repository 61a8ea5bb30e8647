import FHIR

/// One item of a response as JSON, with the instance of a group that it is.
struct RenderedItem: Sendable {
    let slot: Int
    let json: JSON
}

extension SessionState {
    /// Returns the items of the response that a node is: one for each instance of a group with content, one for a
    /// question with answers, none otherwise.
    ///
    /// - Parameter weights: whether answers have the weights of their options as extensions.
    func rendered(_ node: Int, weights: Bool, cache: inout EvaluationCache) -> [RenderedItem] {
        guard nodes[node].hasContent else { return [] }
        if let known = cache.items(of: node, weighted: weights) { return known }
        let item = nodes[node].item
        var output: [RenderedItem] = []
        if item.type == .group {
            for (slot, block) in nodes[node].blocks.enumerated() {
                let inside = rendered(block: block, below: node, weights: weights, cache: &cache)
                guard !inside.isEmpty else { continue }
                var object = header(of: item)
                object["item"] = .array(inside)
                output.append(RenderedItem(slot: slot, json: .object(object)))
            }
        } else {
            var object = header(of: item)
            var answers: [JSON] = []
            for (slot, value) in nodes[node].answers.enumerated() {
                var answer = JSONObject()
                answer["value" + value.type] = value.json
                if weights { mark(&answer, value, of: item) }
                let block = nodes[node].blocks.indices.contains(slot) ? nodes[node].blocks[slot] : -1
                let inside = rendered(block: block, below: node, weights: weights, cache: &cache)
                if !inside.isEmpty { answer["item"] = .array(inside) }
                answers.append(.object(answer))
            }
            object["answer"] = .array(answers)
            output.append(RenderedItem(slot: 0, json: .object(object)))
        }
        cache.keep(output, of: node, weighted: weights)
        return output
    }

    /// Returns the items of a block.
    func rendered(block: Int, below node: Int, weights: Bool, cache: inout EvaluationCache) -> [JSON] {
        guard block >= 0, nodes[block].content > 0 else { return [] }
        var output: [JSON] = []
        for node in block..<(block + items(below: node).count) where nodes[node].hasContent {
            for item in rendered(node, weights: weights, cache: &cache) { output.append(item.json) }
        }
        return output
    }

    private func header(of item: FormItem) -> JSONObject {
        var object = JSONObject()
        object["linkId"] = .string(item.linkID)
        if let text = item.text { object["text"] = .string(text) }
        return object
    }

    /// Adds the weight that the form defines to an answer. It has precedence over a weight in the answer.
    private func mark(_ answer: inout JSONObject, _ value: AnswerValue, of item: FormItem) {
        guard let weight = item.options?.first(where: { value.equals($0.value) && $0.weight != nil })?.weight else {
            return
        }
        var mark = Extension(url: OptionWeight.urls[0])
        mark.value = OpenChoice(type: "Decimal", json: .number(weight))
        answer["extension"] = .array([mark.json])
        if var object = value.json.object {
            let others = (object["extension"]?.array ?? []).filter { given in
                !OptionWeight.urls.contains(given["url"]?.string ?? "")
            }
            object["extension"] = .array([mark.json] + others)
            answer["value" + value.type] = .object(object)
        } else {
            var element = PrimitiveElement()
            element.extension = [mark]
            answer["_value" + value.type] = element.json
        }
    }

    /// Returns the current response as a resource.
    func response(weights: Bool, cache: inout EvaluationCache) -> JSONObject {
        var object = header
        guard !nodes.isEmpty else { return object }
        let items = rendered(block: 0, below: -1, weights: weights, cache: &cache)
        object["item"] = items.isEmpty ? nil : .array(items)
        return object
    }
}
