import FHIR
import Questionnaires

/// Compares the options of a question: its own, or those of its value set.
struct OptionComparison {
    let old: FormOutline.Node
    let new: FormOutline.Node
    let context: ComparisonContext

    private func change(
        _ level: ChangeLevel, _ element: String, old former: JSON?, new now: JSON?, reason: String
    ) -> FormChange {
        FormChange(level, element, linkID: new.item.linkID, old: former, new: now, reason: reason)
    }

    var changes: [FormChange] {
        let former = old.item.options ?? []
        let now = new.item.options ?? []
        var changes: [FormChange] = []
        if former.isEmpty != now.isEmpty || isUnknown {
            changes += wholeChange(former, now)
        } else {
            changes += optionChanges(former, now)
            if old.source.answerValueSet != new.source.answerValueSet {
                changes.append(
                    change(
                        .same, "answerValueSet", old: old.source["answerValueSet"], new: new.source["answerValueSet"],
                        reason: "The options come from another value set; each change of them is listed."))
            }
        }
        if old.item.answerConstraint != new.item.answerConstraint, old.item.type == new.item.type {
            let isWider = old.item.answerConstraint == .optionsOnly
            changes.append(
                change(
                    isWider ? .compatible : .breaking, "answerConstraint",
                    old: .string(old.item.answerConstraint.rawValue), new: .string(new.item.answerConstraint.rawValue),
                    reason: isWider
                        ? "Other answers than the options are valid too." : "Answers that are no option can be refused."
                ))
        }
        return changes
    }

    // MARK: All options

    /// Whether the value set of either version is not available, and they differ.
    private var isUnknown: Bool {
        guard old.source.answerValueSet != new.source.answerValueSet else { return false }
        func isUnknown(_ node: FormOutline.Node) -> Bool {
            node.source.answerValueSet != nil && node.source.answerOption.isEmpty && node.item.options == nil
        }
        return isUnknown(old) || isUnknown(new)
    }

    private func wholeChange(_ former: [FormOption], _ now: [FormOption]) -> [FormChange] {
        let element =
            old.source["answerValueSet"] == new.source["answerValueSet"] ? "answerOption" : "answerValueSet"
        func result(_ level: ChangeLevel, _ reason: String) -> [FormChange] {
            [change(level, element, old: summary(old, former), new: summary(new, now), reason: reason)]
        }
        if isUnknown, new.source.answerValueSet != nil {
            return result(.breaking, "The options of a value set are not available, and can differ.")
        }
        guard now.isEmpty else {
            return result(.breaking, "Only options are valid now, and earlier answers can be others.")
        }
        let types = Set(new.item.answerTypes)
        return former.allSatisfy { types.contains($0.value.type) }
            ? result(.compatible, "Any answer of the type is valid now.")
            : result(.breaking, "Without options, answers of their types are not valid.")
    }

    private func summary(_ node: FormOutline.Node, _ options: [FormOption]) -> JSON? {
        if let name = node.source["answerValueSet"], node.source.answerOption.isEmpty { return name }
        return options.isEmpty ? nil : .array(options.prefix(100).map(\.value.json))
    }

    // MARK: Each option

    private func optionChanges(_ former: [FormOption], _ now: [FormOption]) -> [FormChange] {
        var changes: [FormChange] = []
        let nowByKey = Dictionary(now.map { (OptionKey($0.value), $0) }, uniquingKeysWith: { first, _ in first })
        let formerByKey = Dictionary(former.map { (OptionKey($0.value), $0) }, uniquingKeysWith: { first, _ in first })
        for option in former {
            let key = OptionKey(option.value)
            if let same = nowByKey[key] {
                changes += optionChange(option, same)
            } else if let wider = key.withoutSystem, let same = nowByKey[wider] {
                // Without a system, an option accepts the code of every system.
                let excludes = excludesEarlierAnswers(same)
                changes.append(
                    change(
                        excludes ? .breaking : .compatible, "answerOption", old: option.value.json,
                        new: same.value.json,
                        reason: excludes
                            ? "The option excludes all others, and earlier answers can have both."
                            : "The option accepts the same code of any system."))
            } else {
                changes.append(
                    change(
                        .breaking, "answerOption", old: option.value.json, new: nil,
                        reason: "The option is removed, and answers with it are not valid."))
            }
        }
        for option in now where formerByKey[OptionKey(option.value)] == nil {
            let isTyped = old.item.answerConstraint != .optionsOnly && option.value.type != "Coding"
            let excludes =
                option.isExclusive && (isTyped || old.item.answerConstraint == .optionsOrType)
                || excludesEarlierAnswers(option)
            changes.append(
                change(
                    excludes ? .breaking : .compatible, "answerOption", old: nil, new: option.value.json,
                    reason: excludes
                        ? "The added option excludes others, and earlier answers can contain it."
                        : "An option is added."))
        }
        let order = former.map { OptionKey($0.value) }.filter { nowByKey[$0] != nil }
        let newOrder = now.map { OptionKey($0.value) }.filter { formerByKey[$0] != nil }
        if order != newOrder, Set(order) == Set(newOrder) {
            changes.append(
                change(
                    .text, "answerOption", old: .array(former.map(\.value.json)), new: .array(now.map(\.value.json)),
                    reason: "The order of the options changed."))
        }
        return changes
    }

    /// Whether the option excludes all others, and is the same answer as an earlier option that does not.
    private func excludesEarlierAnswers(_ option: FormOption) -> Bool {
        guard option.isExclusive, old.item.repeats else { return false }
        return (old.item.options ?? []).contains { former in
            guard !former.isExclusive else { return false }
            if former.value.equals(option.value) || option.value.equals(former.value) { return true }
            return OptionKey(former.value) == OptionKey(option.value)
        }
    }

    private func optionChange(_ former: FormOption, _ now: FormOption) -> [FormChange] {
        var changes: [FormChange] = []
        if former.isExclusive != now.isExclusive {
            let breaks = excludesEarlierAnswers(now)
            changes.append(
                change(
                    breaks ? .breaking : .compatible, "optionExclusive", old: .bool(former.isExclusive),
                    new: .bool(now.isExclusive),
                    reason: breaks
                        ? "The option excludes all others, and earlier answers can have both."
                        : "Earlier answers with the option remain valid."))
        }
        if former.isInitial != now.isInitial {
            changes.append(
                change(
                    .compatible, "initialSelected", old: .bool(former.isInitial), new: .bool(now.isInitial),
                    reason: "The value at the start of a new response changed."))
        }
        let (left, right) = (Self.source(of: former, in: old.source), Self.source(of: now, in: new.source))
        let (leftJSON, rightJSON) = (left?.json ?? former.value.json, right?.json ?? now.value.json)
        if weights(left) != weights(right) {
            let breaks = context.expressions.readWeights
            changes.append(
                change(
                    breaks ? .breaking : .compatible, "answerOption", old: leftJSON, new: rightJSON,
                    reason: breaks
                        ? "A calculation can have another result." : "No expression reads the weight of the option."))
        } else if !former.value.json.isSame(as: now.value.json) || former.prefix != now.prefix
            || former.label != now.label
            || !Self.haveSameTexts(left, right)
        {
            changes.append(
                change(
                    .text, "answerOption", old: leftJSON, new: rightJSON, reason: "A text of the option changed."))
        }
        return changes
    }

    private static func source(
        of option: FormOption, in item: Questionnaire.Item
    ) -> Questionnaire.Item.AnswerOption? {
        item.answerOption.first { AnswerValue($0.value) == option.value }
    }

    /// Compares options without the members that have an effect of their own.
    private static func haveSameTexts(
        _ left: Questionnaire.Item.AnswerOption?, _ right: Questionnaire.Item.AnswerOption?
    ) -> Bool {
        func rest(_ option: Questionnaire.Item.AnswerOption?) -> JSON? {
            guard var option else { return nil }
            option.initialSelected = nil
            option.extension = option.extension.filter { $0.url != FormExtension.optionExclusive }
            return option.json
        }
        return areSame(rest(left), rest(right))
    }

    private func weights(_ option: Questionnaire.Item.AnswerOption?) -> [JSON] {
        let all =
            (option?.extension ?? []) + (option?.valueElement?.extension ?? [])
            + (option?["valueCoding"]?["extension"]?.array ?? []).compactMap { Extension(json: $0) }
        return all.filter { OptionWeight.urls.contains($0.url ?? "") }.map(\.json.sorted)
    }
}

/// The value of an option without its display text: two options with the same key accept the same answers.
struct OptionKey: Hashable {
    private let type: String
    private let system: String?
    private let value: JSON

    init(_ option: AnswerValue) {
        type = option.type
        if let coding = option.coding, option.type == "Coding", let code = coding.code {
            system = coding.system
            value = .string(code)
        } else if option.type == "Coding" {
            system = "display"
            value = option.json["display"] ?? .null
        } else {
            system = nil
            value = option.json.sorted
        }
    }

    private init(type: String, value: JSON) {
        self.type = type
        system = nil
        self.value = value
    }

    /// The key of an option that accepts the code of every system; nil if there is no such option.
    var withoutSystem: OptionKey? {
        type == "Coding" && system != nil && system != "display" ? OptionKey(type: type, value: value) : nil
    }
}
