import FHIR
import Questionnaires

/// Compares the elements of one item in two versions of a form.
struct ItemComparison {
    let old: FormOutline.Node
    let new: FormOutline.Node
    let context: ComparisonContext

    /// The changes of the item itself, without those of the items inside.
    var changes: [FormChange] {
        var changes: [FormChange] = []
        func add(_ element: String, _ effect: ChangeEffect, old former: JSON?, new now: JSON?) {
            changes.append(
                FormChange(
                    effect.level, element, linkID: new.item.linkID, old: former, new: now, reason: effect.reason))
        }
        func add(_ element: String, _ effect: ChangeEffect) {
            add(element, effect, old: old.source[element], new: new.source[element])
        }
        // Usually nothing of an item changed.
        if isUnchanged { return [] }
        if old.item.type != new.item.type { add("type", typeEffect) }
        if old.item.isRequired != new.item.isRequired {
            add(
                "required",
                new.item.isRequired
                    ? ChangeEffect(.breaking, "An answer is required now.")
                    : ChangeEffect(.compatible, "An answer is no longer required."))
        }
        if old.item.repeats != new.item.repeats {
            add(
                "repeats",
                new.item.repeats
                    ? ChangeEffect(.compatible, "The item can have several answers now.")
                    : ChangeEffect(.breaking, "Only one answer is valid now."))
        }
        if old.item.isReadOnly != new.item.isReadOnly { add("readOnly", protectionEffect) }
        changes += ConditionComparison(old: old, new: new).changes
        changes += LimitComparison(old: old, new: new, context: context).changes
        changes += OptionComparison(old: old, new: new, context: context).changes
        for element in ["text", "prefix", "_text", "_prefix"] {
            if !areSame(old.source[element], new.source[element]) { add(element, .text("A text")) }
        }
        if let effect = CodeComparison.effect(old.source.code, new.source.code) { add("code", effect) }
        if !areSame(old.source["initial"], new.source["initial"]) {
            add("initial", ChangeEffect(.compatible, "The value at the start of a new response changed."))
        }
        changes +=
            ExtensionComparison(
                linkID: new.item.linkID, old: old.source.extension, new: new.source.extension, context: context,
                item: new.item
            ).changes
        for element in others {
            guard !areSame(old.source[element], new.source[element]) else { continue }
            add(element, Self.effect(ofOther: element, old: old.source[element], new: new.source[element]))
        }
        return changes
    }

    /// Whether the JSON of the item, without that of the items inside, is the same, and also the options of its value
    /// set.
    private var isUnchanged: Bool {
        let keys = Set(old.source.object.keys + new.source.object.keys).subtracting(["item"])
        return keys.allSatisfy { areSame(old.source[$0], new.source[$0]) }
            && (old.source.answerValueSet == nil || haveSameOptions)
            && areSame(old.item.limits.units, new.item.limits.units)
    }

    private var haveSameOptions: Bool {
        let (former, now) = (old.item.options ?? [], new.item.options ?? [])
        return former.count == now.count
            && zip(former, now).allSatisfy { $0.value.json.isSame(as: $1.value.json) && $0.label == $1.label }
    }

    // MARK: Elements

    private var typeEffect: ChangeEffect {
        let (former, now) = (old.item, new.item)
        if former.type == .display {
            return now.hasRequirements
                ? ChangeEffect(.breaking, "A text became an item that needs an answer.")
                : ChangeEffect(.compatible, "A text became an item that needs no answer.")
        }
        guard former.isQuestion, now.isQuestion, now.type != .question, former.type != .question else {
            return ChangeEffect(.breaking, "Answers are not permitted here any more, or are at another path.")
        }
        let isSubset = Self.answerTypes(former).isSubset(of: Self.answerTypes(now))
        guard isSubset, now.type != .string, now.type != .url else {
            return ChangeEffect(.breaking, "Answers of the earlier type are not valid.")
        }
        return ChangeEffect(.compatible, "Answers of the earlier type remain valid.")
    }

    /// Returns the types of values that answer the question.
    private static func answerTypes(_ item: FormItem) -> Set<String> {
        let options = item.type == .choice || item.type == .openChoice ? item.options ?? [] : []
        return Set(item.answerTypes + options.map(\.value.type))
    }

    private var protectionEffect: ChangeEffect {
        guard new.item.isFixed, !old.item.isFixed else {
            return ChangeEffect(.compatible, "Who can answer the item changed; earlier answers remain valid.")
        }
        return ChangeEffect(.breaking, "Earlier answers can differ from the calculated value, which is final now.")
    }

    /// The elements that no other rule compares.
    private var others: [String] {
        let compared: Set<String> = [
            "linkId", "item", "type", "required", "repeats", "readOnly", "maxLength", "text", "prefix", "_text",
            "_prefix", "code", "initial", "extension", "enableWhen", "enableBehavior", "answerOption",
            "answerValueSet",
        ]
        var seen: Set<String> = []
        return (old.source.object.keys + new.source.object.keys).filter {
            !compared.contains($0) && seen.insert($0).inserted
        }
    }

    private static func effect(ofOther element: String, old: JSON?, new: JSON?) -> ChangeEffect {
        switch element {
        case "id": return ChangeEffect(.same, "The id of the element changed.")
        case "definition": return ChangeEffect(.compatible, "The definition of the element changed.")
        case "modifierExtension":
            return ChangeEffect(.breaking, "An extension changed that can change the meaning of the item.")
        default: break
        }
        // The extensions of a primitive: an expression can decide instead of the value.
        let urls = [old, new].flatMap { $0?["extension"]?.array ?? [] }.compactMap { $0["url"]?.string }
        return urls.contains { $0.contains("xpression") || $0.contains("calculatedValue") }
            ? ChangeEffect(.breaking, "An expression changed that decides about the element.")
            : ChangeEffect(.compatible, "The element does not decide whether an answer is valid.")
    }
}

/// Compares the codes of an item, which are the meaning of its answers.
enum CodeComparison {
    /// Returns the effect; nil if nothing changed.
    static func effect(_ old: [Coding], _ new: [Coding]) -> ChangeEffect? {
        let former = Set(old.map(key))
        let now = Set(new.map(key))
        if former == now {
            return areSame(old, new) ? nil : .text("A text of a code")
        }
        if former.isEmpty || now.isEmpty || !former.isDisjoint(with: now) {
            return ChangeEffect(.compatible, "Codes were added or removed; the meaning of the answers remains.")
        }
        return ChangeEffect(.breaking, "The code is another: the answers have another meaning.")
    }

    private static func key(_ coding: Coding) -> [String?] { [coding.system, coding.code] }
}

/// Compares the conditions of an item.
struct ConditionComparison {
    private let old: FormOutline.Node
    private let new: FormOutline.Node

    init(old: FormOutline.Node, new: FormOutline.Node) {
        self.old = old
        self.new = new
    }

    var changes: [FormChange] {
        let former = old.source["enableWhen"]
        let now = new.source["enableWhen"]
        var changes: [FormChange] = []
        func add(_ element: String, _ level: ChangeLevel, reason: String) {
            changes.append(
                FormChange(
                    level, element, linkID: new.item.linkID, old: old.source[element], new: new.source[element],
                    reason: reason))
        }
        let isEqual = Self.meaning(old.source) == Self.meaning(new.source)
        if !areSame(former, now) {
            if isEqual {
                add("enableWhen", .text, reason: "Only the order or the display texts of the conditions changed.")
            } else if new.item.conditions.isEmpty, !new.item.hasRequirements {
                // A response has no answers to items that are not enabled.
                add("enableWhen", .compatible, reason: "The item is always enabled now, and needs no answer.")
            } else {
                add("enableWhen", .breaking, reason: "The item can be enabled or disabled with other answers.")
            }
        }
        if old.item.enabledByAny != new.item.enabledByAny {
            let matters = min(old.item.conditions.count, new.item.conditions.count) > 1
            add(
                "enableBehavior", matters ? .breaking : .same,
                reason: matters
                    ? "The item can be enabled or disabled with other answers."
                    : "With one condition, the behavior has no effect.")
        }
        return changes
    }

    /// Returns the conditions without their order, display texts and ids.
    private static func meaning(_ source: Questionnaire.Item) -> [JSON: Int] {
        var counts: [JSON: Int] = [:]
        for condition in source.enableWhen {
            var object = JSONObject()
            object["question"] = condition["question"]
            object["operator"] = condition["operator"]
            if let answer = condition.answer {
                var value = answer.json
                if var coding = Coding(json: value), answer.type == "Coding", coding.code != nil {
                    coding = Coding(system: coding.system, code: coding.code)
                    value = coding.json
                }
                object["answer" + answer.type] = value.sorted
            }
            object["modifierExtension"] = condition["modifierExtension"]
            counts[.object(object), default: 0] += 1
        }
        return counts
    }
}
