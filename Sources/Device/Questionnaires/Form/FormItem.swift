import FHIR
import Foundation

/// An item of a form, with everything read that the engine needs.
public final class FormItem: Sendable {
    /// The item's place in the form's order; also its key.
    public let index: Int
    /// Its place among the items it stands with.
    let position: Int
    /// The name of the item in its form and in responses, `Questionnaire.item.linkId`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.linkId>); empty where the form gives
    /// none.
    public let linkID: String
    /// The kind of item, `Questionnaire.item.type`. Of a code that R4 does not have, an item with items inside is a
    /// group, any other a string.
    public let type: QuestionnaireItemType
    /// The text that is asked or shown.
    public let text: String?
    /// The label that stands before the text, such as `1.`: `Questionnaire.item.prefix`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.prefix>).
    public let prefix: String?
    /// Whether a complete response must have the item where it is enabled: `Questionnaire.item.required`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.required>); false where it is
    /// absent.
    public let isRequired: Bool
    /// Whether a question takes several answers, or a group may stand several times: `Questionnaire.item.repeats`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.repeats>). Where it is absent, boxes to
    /// check take several answers, and anything else one.
    public let repeats: Bool
    /// Whether the item's answers are not the person's to change: `Questionnaire.item.readOnly`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.readOnly>); false where it is
    /// absent.
    public let isReadOnly: Bool
    /// A hidden item is not shown; it is enabled and answered like any other.
    public let isHidden: Bool
    /// Whether it takes attachments as they are, also those that cannot be cleaned of names and places, such as PDF:
    /// `urn:tributary:attachment-as-is`.
    public let takesAttachmentsAsIs: Bool
    /// The values it offers; nil where it offers none, or where its value set is not at hand.
    public let options: [FormOption]?
    /// The answers that the item takes where it has options: the options alone, or also a text or other values of its type.
    public let answerConstraint: AnswerConstraint
    /// The conditions under which the item is enabled, `Questionnaire.item.enableWhen`; without any it is so with
    /// the item above it. All must hold unless ``enabledByAny`` says otherwise.
    public let conditions: [EnableCondition]
    /// Whether one fulfilled condition is enough.
    public let enabledByAny: Bool
    /// Whether an expression says when it, or an item above it, is enabled. Expressions are not evaluated: the item is
    /// taken as enabled, and nobody is held to answer it.
    public let enablementIsOpen: Bool
    /// The limits of an answer's length, range, number, unit and type, from the item's elements and extensions.
    public let limits: AnswerLimits
    /// The answers that a new session begins with: `Questionnaire.item.initial`, else the options that are selected
    /// from the start (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.initial>). At most
    /// one where the item does not repeat, and none for an item without answers.
    public let initial: [AnswerValue]
    /// The items inside a group or below a question, in the form's order: `Questionnaire.item.item`.
    public let children: [FormItem]
    /// The unit that a bare number means.
    public let unit: Coding?
    /// The units in which it takes its answers.
    let units: AnswerUnits
    /// The items above it, the outermost first.
    let ancestors: [Int]

    init(
        index: Int, position: Int, source: Questionnaire.Item, type: QuestionnaireItemType,
        options reader: OptionReader,
        children: [FormItem], ancestors: [Int], enablementIsOpen: Bool
    ) {
        self.index = index
        self.position = position
        self.type = type
        self.children = children
        self.ancestors = ancestors
        self.enablementIsOpen = enablementIsOpen
        let options = reader.options(of: source)
        self.options = options
        linkID = source.linkId ?? ""
        text = source.text
        prefix = source.prefix
        isRequired = source.required ?? false
        repeats = source.repeats ?? FormItem.isCheckBox(source)
        isReadOnly = source.readOnly ?? false
        isHidden = source.extension(FormExtension.hidden)?.value?.json.bool ?? false
        takesAttachmentsAsIs =
            type == .attachment && source.extension(FormExtension.attachmentAsIs)?.value?.json.bool ?? false
        conditions = source.enableWhen.map { EnableCondition($0) }
        enabledByAny = source.enableBehavior == .any
        answerConstraint = source.answerConstraint
        limits = AnswerLimits(source, of: type, options: reader)
        let asked = source.extension(FormExtension.unit)?.value.flatMap { Coding(json: $0.json) }
        unit = asked ?? (limits.units.count == 1 ? limits.units.first : nil)
        units = AnswerUnits(asked: asked, limits)
        let values =
            source.initial.isEmpty
            ? (options ?? []).filter(\.isInitial).map(\.value) : source.initial.compactMap { AnswerValue($0.value) }
        // Initial values of groups (que-8) and too many of them (que-13) are the form's fault, not the person's.
        initial = type.answerTypes.isEmpty ? [] : repeats ? values : Array(values.prefix(1))
    }

    /// Whether the item is shown as boxes to check, which take several answers
    /// (<https://hl7.org/fhir/R4/extension-questionnaire-itemcontrol.html>).
    private static func isCheckBox(_ source: Questionnaire.Item) -> Bool {
        let codings = source.extension(FormExtension.itemControl)?.value?.json["coding"]?.array ?? []
        return codings.contains { coding in
            coding["code"]?.string == "check-box"
                && [nil, FormExtension.itemControlSystem].contains(coding["system"]?.string)
        }
    }

    /// Whether it takes answers.
    public var isQuestion: Bool { type != .group && type != .display }

    /// Whether it takes a text besides its options.
    package var takesText: Bool {
        (type == .choice || type == .openChoice || options != nil) && answerConstraint == .optionsOrString
    }

    /// The `value[x]` types that answer it besides those of its options.
    var answerTypes: [String] {
        var types = type.answerTypes
        if type == .openChoice, answerConstraint == .optionsOnly { types.removeAll { $0 == "String" } }
        if takesText, !types.contains("String") { types.append("String") }
        return types
    }

    /// A value with the unit that it has by the form (``AnswerUnits/measured(_:of:)``).
    func measured(_ value: AnswerValue) -> AnswerValue { units.measured(value, of: type) }

    /// How many items stand above it.
    var depth: Int { ancestors.count }

    /// Texts that stand below a question to explain it. They are part of the question, not of its answers.
    package var explanations: [FormItem] {
        isQuestion ? children.filter { $0.type == .display && $0.conditions.isEmpty && !$0.isHidden } : []
    }
}

/// A value that a question offers.
public struct FormOption: Sendable, Hashable {
    /// The answer that choosing it gives: `Questionnaire.item.answerOption.value[x]`, or a coding of the value set
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.answerOption>).
    public let value: AnswerValue
    /// Whether it rules all others out.
    public let isExclusive: Bool
    /// Whether it is selected from the start: `Questionnaire.item.answerOption.initialSelected`.
    public let isInitial: Bool
    /// The label that stands before its text, such as `a)`.
    public let prefix: String?

    package init(value: AnswerValue, isExclusive: Bool, isInitial: Bool, prefix: String?) {
        self.value = value
        self.isExclusive = isExclusive
        self.isInitial = isInitial
        self.prefix = prefix
    }
}
