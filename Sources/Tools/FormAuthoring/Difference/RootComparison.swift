import FHIR
import Questionnaires

/// Compares the elements of two versions of a form that are not in an item.
struct RootComparison {
    let old: QuestionnaireForm
    let new: QuestionnaireForm
    let context: ComparisonContext

    /// Elements that people read.
    private static let texts: Set<String> = [
        "title", "description", "purpose", "copyright", "language", "_title", "_description", "_purpose", "_copyright",
    ]
    /// Elements that an author or a library of forms needs, and answers do not.
    private static let formal: Set<String> = [
        "id", "meta", "text", "identifier", "version", "name", "derivedFrom", "status", "experimental", "date",
        "publisher", "contact", "useContext", "jurisdiction", "approvalDate", "lastReviewDate",
    ]
    private static let compared: Set<String> = ["resourceType", "item", "extension", "code", "contained", "url"]

    var changes: [FormChange] {
        let (former, now) = (old.questionnaire, new.questionnaire)
        var changes: [FormChange] = []
        func add(_ element: String, _ level: ChangeLevel, reason: String) {
            changes.append(
                FormChange(level, element, linkID: nil, old: former[element], new: now[element], reason: reason))
        }
        if former.url != now.url {
            add("url", nameLevel, reason: "Earlier responses have the earlier name of the form.")
        }
        if let effect = CodeComparison.effect(former.code, now.code) {
            add("code", effect.level, reason: effect.reason)
        }
        var seen = Self.compared
        for element in former.object.keys + now.object.keys where seen.insert(element).inserted {
            guard !areSame(former[element], now[element]) else { continue }
            if Self.texts.contains(element) {
                add(element, .text, reason: "A text changed.")
            } else if Self.formal.contains(element) {
                add(element, .same, reason: "The element has no effect on answers.")
            } else if ["implicitRules", "modifierExtension"].contains(element) {
                add(element, .breaking, reason: "The element can change the meaning of the form.")
            } else {
                add(element, .compatible, reason: "The element does not decide whether an answer is valid.")
            }
        }
        if !areSame(Self.contained(former), Self.contained(now)) {
            let isRead = context.expressions.readContained
            let isText = areSame(Self.others(former), Self.others(now))
            changes.append(
                FormChange(
                    isRead ? .breaking : isText ? .text : .compatible, "contained", linkID: nil,
                    old: Self.names(former),
                    new: Self.names(now),
                    reason: isRead
                        ? "An expression can read the contained resources."
                        : "Contained resources changed; each effect on options is listed."))
        }
        changes +=
            ExtensionComparison(
                linkID: nil, old: former.extension, new: now.extension, context: context, item: nil
            ).changes
        return changes
    }

    /// A response that has the name of another form is refused.
    private var nameLevel: ChangeLevel {
        guard let name = old.canonical else { return .compatible }
        if new.questionnaire.isNamed(by: CanonicalURL(name)) { return .compatible }
        return new.questionnaire.url != nil && name.contains(":") ? .breaking : .compatible
    }

    private static func contained(_ questionnaire: Questionnaire) -> JSON? { questionnaire["contained"] }

    /// Returns the contained resources that are no terminology, whose effect on options is compared item by item.
    private static func others(_ questionnaire: Questionnaire) -> JSON {
        .array(
            questionnaire.contained.filter {
                ![ValueSet.resourceType, CodeSystem.resourceType].contains($0.resourceType)
            }.map(\.json))
    }

    private static func names(_ questionnaire: Questionnaire) -> JSON? {
        questionnaire["contained"].map { _ in
            .array(questionnaire.contained.map { .string("\($0.resourceType)/\($0.id ?? "")") })
        }
    }
}
