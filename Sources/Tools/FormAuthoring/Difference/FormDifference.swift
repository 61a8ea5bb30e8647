import FHIR
import Questionnaires

/// The changes between two versions of a form, by their effect on answers to the earlier one.
///
/// A response that is valid for the earlier form is valid for the new one if no change is breaking. A change whose
/// effect cannot be determined, such as another regular expression, is breaking. A response that lists display items,
/// which have no answers, can become invalid if a display item is removed.
package struct FormDifference: Sendable {
    /// The changes: those of the form as a whole, then removed items, then all others in the order of the new form.
    package let changes: [FormChange]

    /// The effect of all changes.
    package var level: ChangeLevel { changes.map(\.level).max() ?? .same }

    package init(from old: QuestionnaireForm, to new: QuestionnaireForm) {
        var comparison = FormComparison(old: old, new: new)
        comparison.run()
        changes = comparison.changes
    }
}

/// Compares two forms item by item.
private struct FormComparison {
    private let old: FormOutline
    private let new: FormOutline
    private let context: ComparisonContext
    private(set) var changes: [FormChange] = []

    init(old: QuestionnaireForm, new: QuestionnaireForm) {
        self.old = FormOutline(old)
        self.new = FormOutline(new)
        context = ComparisonContext(old: old, new: new)
    }

    mutating func run() {
        changes += RootComparison(old: old.form, new: new.form, context: context).changes
        if new.hasRepeatedLinkIDs, !old.hasRepeatedLinkIDs {
            changes.append(
                FormChange(
                    .breaking, "linkId", linkID: nil, old: nil, new: nil,
                    reason: "Two items have the same linkId; answers can belong to either."))
        }
        for node in old.nodes where new.indexes[node.key] == nil { removed(node) }
        let moved = movedWithinParents()
        for node in new.nodes {
            guard let index = old.indexes[node.key] else {
                added(node)
                continue
            }
            let former = old.nodes[index]
            if old.parentKey(of: former) != new.parentKey(of: node) {
                relocated(former, node)
            } else if let change = moved[node.key] {
                changes.append(change)
            }
            changes += ItemComparison(old: former, new: node, context: context).changes
        }
        // An expression that reads the form can have another value after any change.
        guard context.expressions.readForm else { return }
        for index in changes.indices where changes[index].level == .compatible {
            changes[index].level = .breaking
            changes[index].reason += " An expression reads the form itself and can have another result."
        }
    }

    // MARK: Items as a whole

    private mutating func removed(_ node: FormOutline.Node) {
        // The items inside of a removed item are not listed.
        if let parent = old.parentKey(of: node), new.indexes[parent] == nil { return }
        let isText = node.item.type == .display && node.source.extension(FormExtension.subQuestionnaire) == nil
        changes.append(
            FormChange(
                isText ? .compatible : .breaking, "item", linkID: node.item.linkID, old: summary(node), new: nil,
                reason: isText
                    ? "A text is removed; it has no answers."
                    : "The item is removed, and its answers are unknown to the form."))
    }

    private mutating func added(_ node: FormOutline.Node) {
        // An item inside of a new item has no answers, and none is required.
        if let parent = new.parentKey(of: node), old.indexes[parent] == nil { return }
        let isAssembled = node.source.extension(FormExtension.subQuestionnaire) == nil
        let isNeeded = node.item.isRequired && !isDisabledInOldResponses(node.item)
        // A constraint is evaluated only if its item has an answer.
        let reason =
            if isNeeded {
                "A required item is added; earlier responses have no answer to it."
            } else if !isAssembled {
                "The added item represents the items of another form."
            } else if !node.source.modifierExtension.isEmpty {
                "The added item has an extension that can change the meaning of the form."
            } else if node.item.type == .display {
                "A text is added."
            } else {
                "An item is added that needs no answer."
            }
        let isBreaking = isNeeded || !isAssembled || !node.source.modifierExtension.isEmpty
        let level: ChangeLevel = isBreaking ? .breaking : node.item.type == .display ? .text : .compatible
        changes.append(
            FormChange(level, "item", linkID: node.item.linkID, old: nil, new: summary(node), reason: reason))
    }

    /// Whether the item is disabled in every response to the earlier form, because its conditions need answers to
    /// questions that the earlier form did not have.
    private func isDisabledInOldResponses(_ item: FormItem) -> Bool {
        guard !item.conditions.isEmpty else { return false }
        func cannotHold(_ condition: EnableCondition) -> Bool {
            guard old.form.item(condition.question) == nil else { return false }
            switch condition.comparison {
            case .exists: return condition.expected?.json.bool == true
            case .notEqual, nil: return false
            default: return true
            }
        }
        return item.enabledByAny
            ? item.conditions.allSatisfy(cannotHold) : item.conditions.contains(where: cannotHold)
    }

    private mutating func relocated(_ former: FormOutline.Node, _ node: FormOutline.Node) {
        func location(_ key: FormOutline.Key?) -> JSON { ["parent": key.map { .string($0.linkID) } ?? .null] }
        changes.append(
            FormChange(
                .breaking, "item", linkID: node.item.linkID, old: location(old.parentKey(of: former)),
                new: location(new.parentKey(of: node)),
                reason: "The item is inside another item; earlier responses have it at another path."))
    }

    /// Returns the changes of items whose order among their siblings changed, as few of them as possible.
    private func movedWithinParents() -> [FormOutline.Key: FormChange] {
        var moved: [FormOutline.Key: FormChange] = [:]
        let lists: [(FormOutline.Key?, [Int])] = [(nil, new.roots)] + new.nodes.map { ($0.key, $0.children) }
        for (parent, children) in lists where children.count > 1 {
            // The siblings that both forms have here, in the new order, by their index in the earlier one.
            let common = children.compactMap { index -> (key: FormOutline.Key, former: Int)? in
                let key = new.nodes[index].key
                guard let former = old.indexes[key], old.parentKey(of: old.nodes[former]) == parent else { return nil }
                return (key, former)
            }
            let kept = Set(LongestRun.indexes(of: common.map(\.former)))
            guard kept.count < common.count else { continue }
            let formerOrder = common.map(\.former).sorted()
            let positions = Dictionary(uniqueKeysWithValues: formerOrder.enumerated().map { ($0.element, $0.offset) })
            for (position, entry) in common.enumerated() where !kept.contains(position) {
                let before = positions[entry.former].flatMap { $0 > 0 ? formerOrder[$0 - 1] : nil }
                moved[entry.key] = FormChange(
                    .breaking, "order", linkID: entry.key.linkID,
                    old: location(after: before.map { old.nodes[$0].key }),
                    new: location(after: position > 0 ? common[position - 1].key : nil),
                    reason: "The order of the items changed; a response must follow the order of its form.")
            }
        }
        return moved
    }

    private func location(after key: FormOutline.Key?) -> JSON {
        ["after": key.map { .string($0.linkID) } ?? .null]
    }

    private func summary(_ node: FormOutline.Node) -> JSON {
        var object = JSONObject()
        object["type"] = node.source["type"]
        object["text"] = node.source["text"]
        if node.item.isRequired { object["required"] = true }
        return .object(object)
    }
}

/// The longest increasing part of a list of distinct numbers.
enum LongestRun {
    /// Returns the indexes of its elements.
    static func indexes(of values: [Int]) -> [Int] {
        // For each length, the index of the least last element of a part of that length.
        var tails: [Int] = []
        var before = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var found: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            found.append(index)
            index = before[index]
        }
        return found.reversed()
    }
}
