import FHIR
import Questionnaires

/// Compares the extensions of an item or of a form by their URLs.
struct ExtensionComparison {
    /// The linkId of the item; nil for the form as a whole.
    let linkID: String?
    let old: [Extension]
    let new: [Extension]
    let context: ComparisonContext
    /// The item in the new form; nil for the form as a whole.
    let item: FormItem?

    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    /// Extensions that ``LimitComparison`` and ``OptionComparison`` compare.
    private static let compared = Set(
        FormExtension.minima + FormExtension.maxima + [
            FormExtension.minLength, FormExtension.regex, FormExtension.maxDecimalPlaces, FormExtension.minOccurs,
            FormExtension.maxOccurs, FormExtension.mimeType, FormExtension.maxSize, FormExtension.referenceResource,
            FormExtension.unit, FormExtension.unitOption, FormExtension.unitValueSet, FormExtension.unitOpen,
            AnswerConstraint.url,
        ])

    /// Extensions that change only what people read or see.
    private static let shown = Set(
        FormExtension.validationTexts + [FormExtension.entryFormat, FormExtension.itemControl]
            + [
                "questionnaire-choiceOrientation", "questionnaire-displayCategory", "questionnaire-supportLink",
                "questionnaire-sliderStepValue", "rendering-style", "rendering-markdown", "rendering-xhtml",
                "designNote", "translation",
            ].map { core + $0 }
            + [
                "itemMedia", "itemAnswerMedia", "shortText", "collapsible", "columnCount", "width", "keyboard",
                "openLabel", "optionalDisplay", "choiceColumn", "entryMode",
            ].map { sdc + $0 }
            + ["http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.disabledDisplay"]
            + ["ios-keyboardtype", "ios-textcontenttype", "ios-autocapitalizationType"].map {
                "http://bdh.stanford.edu/fhir/StructureDefinition/" + $0
            })

    /// Extensions with which an answer can become invalid.
    private static let deciding: [String: String] = [
        sdc + "answerExpression": "The options come from another expression.",
        sdc + "enableWhenExpression": "The item can be enabled or disabled with other answers.",
        FormExtension.subQuestionnaire: "The item represents the items of another form.",
        sdc + "launchContext": "An expression can have another value.",
        core + "questionnaire-signatureRequired": "A signature is required, which earlier responses can lack.",
    ]

    var changes: [FormChange] {
        var urls: [String] = []
        var seen: Set<String> = []
        for url in (old + new).map({ $0.url ?? "" }) where !Self.compared.contains(url) && seen.insert(url).inserted {
            urls.append(url)
        }
        return urls.compactMap { url in
            let former = old.filter { ($0.url ?? "") == url }
            let now = new.filter { ($0.url ?? "") == url }
            guard !areSame(former, now) else { return nil }
            let effect = effect(of: url, former, now)
            return FormChange(
                effect.level, Self.name(url), linkID: linkID, old: Self.value(former), new: Self.value(now),
                reason: effect.reason)
        }
    }

    /// Returns the last part of a URL, without the prefixes of extensions of forms.
    static func name(_ url: String) -> String {
        var name = url.split(separator: "/").last.map(String.init) ?? "extension"
        for prefix in ["sdc-questionnaire-", "questionnaire-"] where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        return name
    }

    /// Returns the values of extensions with one URL: that of a single one, or a list.
    static func value(_ extensions: [Extension]) -> JSON? {
        let values = extensions.map { $0.value?.json ?? $0.json }
        return values.count > 1 ? .array(values) : values.first
    }

    private func effect(of url: String, _ old: [Extension], _ new: [Extension]) -> ChangeEffect {
        if Self.shown.contains(url) { return .text("The display of the item") }
        if ComparisonContext.constraintURLs.contains(url) { return constraintEffect(old, new) }
        switch url {
        case FormExtension.hidden:
            return item?.hasFixedAnswers ?? false
                ? ChangeEffect(.breaking, "Earlier answers can differ from the calculated value, which is final now.")
                : ChangeEffect(.compatible, "Whether the item is shown changed; its answers remain valid.")
        case FormExtension.calculatedExpression:
            return item?.isFixed ?? true && !new.isEmpty
                ? ChangeEffect(.breaking, "Earlier answers can differ from the calculated value.")
                : ChangeEffect(.compatible, "The calculation changed; people can give another answer.")
        case Self.sdc + "enableWhenExpression" where new.isEmpty && !(item?.hasRequirements ?? true):
            return ChangeEffect(.compatible, "The item is always enabled now, and needs no answer.")
        case Self.sdc + "answerOptionsToggleExpression":
            return new.isEmpty
                ? ChangeEffect(.compatible, "All options are available now.")
                : ChangeEffect(.breaking, "Options can be unavailable now.")
        case Self.core + "variable": return variableEffect(old, new)
        default: break
        }
        if let reason = Self.deciding[url] { return ChangeEffect(.breaking, reason) }
        if url.hasSuffix("/cqf-expression") {
            return ChangeEffect(.breaking, "An expression changed that decides about the element.")
        }
        if OptionWeight.urls.contains(url), context.expressions.readWeights {
            return ChangeEffect(.breaking, "A calculation can have another result.")
        }
        return ChangeEffect(.compatible, "The extension does not decide whether an answer is valid.")
    }

    private func variableEffect(_ old: [Extension], _ new: [Extension]) -> ChangeEffect {
        func named(_ extensions: [Extension]) -> [String: [JSON]] {
            Dictionary(grouping: extensions.map(\.json.sorted)) { $0["valueExpression"]?["name"]?.string ?? "" }
        }
        let (former, now) = (named(old), named(new))
        let changed = Set(former.keys).union(now.keys).filter { former[$0] != now[$0] }
        return changed.contains { context.expressions.mention("%" + $0) || context.expressions.mention("%`" + $0) }
            ? ChangeEffect(.breaking, "An expression reads the variable and can have another value.")
            : ChangeEffect(.compatible, "No expression that decides about answers reads the variable.")
    }

    private func constraintEffect(_ old: [Extension], _ new: [Extension]) -> ChangeEffect {
        func meaning(_ extensions: [Extension]) -> Set<[JSON?]> {
            Set(
                extensions.filter { context.blocks($0) }.map { constraint in
                    [constraint.extension("expression")?.value?.json]
                        + constraint.extensions("location").map { $0.value?.json }
                })
        }
        let (former, now) = (meaning(old), meaning(new))
        if former == now { return .text("A text of a constraint") }
        return now.isSubset(of: former)
            ? ChangeEffect(.compatible, "A constraint was removed.")
            : ChangeEffect(.breaking, "Earlier answers can break the constraint.")
    }
}
