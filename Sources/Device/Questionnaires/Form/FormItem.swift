import FHIR
import Foundation

/// An item of a form, prepared for answering.
public final class FormItem: Sendable {
    /// The item's index in the form's order; also its key.
    public let index: Int
    /// The index among its siblings.
    package let position: Int
    /// The identifier of the item in its form and in responses, `Questionnaire.item.linkId`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.linkId>); empty if the form contains
    /// none.
    public let linkID: String
    /// The kind of item, `Questionnaire.item.type`. With a code that R4 does not define, an item with items inside is a
    /// group, any other a string.
    public let type: QuestionnaireItemType
    /// The question or displayed text.
    public let text: String?
    /// Its text in all other languages of the form: a response can have any of them.
    let translations: [String]
    /// The label before the text, such as `1.`: `Questionnaire.item.prefix`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.prefix>).
    public let prefix: String?
    /// Whether a complete response must contain the item if it is enabled: `Questionnaire.item.required`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.required>); false if it is absent.
    public let isRequired: Bool
    /// Whether a question can have several answers, or a group several instances: `Questionnaire.item.repeats`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.repeats>). If it is absent, check
    /// boxes can have several answers, all other questions one.
    public let repeats: Bool
    /// Whether the person cannot change the item's answers: `Questionnaire.item.readOnly`
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.readOnly>); false if it is absent.
    public let isReadOnly: Bool
    /// Whether the item is hidden. A hidden item is enabled and answered like any other.
    public let isHidden: Bool
    /// Whether the item accepts attachments unchanged, including those from which names and locations cannot be
    /// removed, such as PDF: `urn:tributary:attachment-as-is`.
    public let takesAttachmentsAsIs: Bool
    /// The options; nil if there are none, or if the value set is not available.
    public let options: [FormOption]?
    /// The answers that an item with options accepts: only the options, or also a text or other values of its type.
    public let answerConstraint: AnswerConstraint
    /// The conditions under which the item is enabled, `Questionnaire.item.enableWhen`; without conditions it is
    /// enabled with its parent. All must be fulfilled unless ``enabledByAny`` is true.
    public let conditions: [EnableCondition]
    /// Whether one fulfilled condition is sufficient.
    public let enabledByAny: Bool
    /// The limits of an answer's length, range, number, unit and type, from the item's elements and extensions.
    public let limits: AnswerLimits
    /// The answers at the start of a session: `Questionnaire.item.initial`, otherwise the options with
    /// `initialSelected` (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.initial>). There
    /// is no more than one if the item does not repeat, and none for an item without answers.
    public let initial: [AnswerValue]
    /// The items inside a group or below a question, in the form's order: `Questionnaire.item.item`.
    public let children: [FormItem]
    /// The unit of a number without a unit.
    public let unit: Coding?
    /// The units of its answers.
    package let units: AnswerUnits
    /// The indexes of its ancestors, the outermost first.
    package let ancestors: [Int]
    /// The item in the resource.
    package let source: Questionnaire.Item
    /// Whether the item or an ancestor is hidden.
    package let isConcealed: Bool
    /// The expressions of the item; nil if it has none.
    let expressions: ItemExpressions?

    /// The positions of the items inside that can have problems if a response has others of the same instance, and lacks
    /// them.
    let requiredChildren: [Int]

    /// Whether people cannot change its calculated answer.
    package var isFixed: Bool { expressions?.calculated != nil && (isReadOnly || isConcealed) }

    init(
        index: Int, position: Int, source: Questionnaire.Item, type: QuestionnaireItemType,
        options reader: OptionReader,
        children: [FormItem], ancestors: [Int], isConcealed: Bool, expressions: (AnswerLimits) -> ItemExpressions?
    ) {
        self.index = index
        self.position = position
        self.type = type
        self.children = children
        requiredChildren = children.indices.filter {
            children[$0].isRequired || children[$0].limits.minOccurs != nil || children[$0].expressions != nil
        }
        self.ancestors = ancestors
        self.source = source
        let options = reader.options(of: source)
        self.options = options
        linkID = source.linkId ?? ""
        text = source.text
        translations = source.textElement?.translations.map(\.content) ?? []
        prefix = source.prefix
        isRequired = source.required ?? false
        repeats = source.repeats ?? FormItem.isCheckBox(source)
        isReadOnly = source.readOnly ?? false
        isHidden = source.extension(FormExtension.hidden)?.value?.json.bool ?? false
        self.isConcealed = isConcealed
        takesAttachmentsAsIs =
            type == .attachment && source.extension(FormExtension.attachmentAsIs)?.value?.json.bool ?? false
        conditions = source.enableWhen.map { EnableCondition($0) }
        enabledByAny = source.enableBehavior == .any
        answerConstraint = source.answerConstraint
        limits = AnswerLimits(source, of: type, options: reader)
        self.expressions = expressions(limits)
        let asked = source.extension(FormExtension.unit)?.value.flatMap { Coding(json: $0.json) }
        unit = asked ?? (limits.units.count == 1 ? limits.units.first : nil)
        units = AnswerUnits(asked: asked, limits)
        let values =
            source.initial.isEmpty
            ? (options ?? []).filter(\.isInitial).map(\.value) : source.initial.compactMap { AnswerValue($0.value) }
        // Initial values of groups (que-8) and superfluous ones (que-13) are errors of the form, not of the person.
        initial = type.answerTypes.isEmpty ? [] : repeats ? values : Array(values.prefix(1))
    }

    /// Whether the item is displayed as check boxes, which accept several answers
    /// (<https://hl7.org/fhir/R4/extension-questionnaire-itemcontrol.html>).
    private static func isCheckBox(_ source: Questionnaire.Item) -> Bool {
        let codings = source.extension(FormExtension.itemControl)?.value?.json["coding"]?.array ?? []
        return codings.contains { coding in
            coding["code"]?.string == "check-box"
                && [nil, FormExtension.itemControlSystem].contains(coding["system"]?.string)
        }
    }

    /// Whether the item accepts answers.
    public var isQuestion: Bool { type != .group && type != .display }

    /// Whether the item accepts a text in addition to its options.
    package var takesText: Bool {
        (type == .choice || type == .openChoice || options != nil) && answerConstraint == .optionsOrString
    }

    /// The permitted `value[x]` types in addition to those of its options.
    package var answerTypes: [String] {
        var types = type.answerTypes
        if type == .openChoice, answerConstraint == .optionsOnly { types.removeAll { $0 == "String" } }
        if takesText, !types.contains("String") { types.append("String") }
        return types
    }

    /// Returns a value with the unit that the form defines (``AnswerUnits/measured(_:of:)``).
    package func measured(_ value: AnswerValue) -> AnswerValue { units.measured(value, of: type) }

    /// Whether the form suggests answers by a `candidateExpression`.
    package var suggestsAnswers: Bool { expressions?.candidates != nil }

    /// The number of its ancestors.
    var depth: Int { ancestors.count }

    /// Display items below a question that explain it. They are part of the question, not of its answers.
    package var explanations: [FormItem] {
        isQuestion ? children.filter { $0.type == .display && $0.conditions.isEmpty && !$0.isHidden } : []
    }
}

/// An option of a question.
public struct FormOption: Sendable, Hashable {
    /// The answer if it is chosen: `Questionnaire.item.answerOption.value[x]`, or a coding of the value set
    /// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.answerOption>).
    public let value: AnswerValue
    /// Whether it excludes all other options.
    public let isExclusive: Bool
    /// Whether it is selected initially: `Questionnaire.item.answerOption.initialSelected`.
    public let isInitial: Bool
    /// The label before its text, such as `a)`.
    public let prefix: String?
    /// The number for scores: the weight of the option, of its coding or of the concept in the value set
    /// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>).
    public let weight: JSONNumber?
    /// The text that is shown to people, in the language of the form. The answer has the text of ``value``.
    public let label: String
    /// The texts in the columns of the question, in their order; empty if it has none
    /// (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-choiceColumn.html>).
    public let cells: [String]
    /// All texts of the code of ``value``; nil if they are not available.
    let names: ConceptNames?

    package init(
        value: AnswerValue, isExclusive: Bool = false, isInitial: Bool = false, prefix: String? = nil,
        weight: JSONNumber? = nil, label: String? = nil, cells: [String] = [], names: ConceptNames? = nil
    ) {
        self.cells = cells
        self.names = names
        self.label = label ?? value.text
        self.value = value
        self.isExclusive = isExclusive
        self.isInitial = isInitial
        self.prefix = prefix
        self.weight = weight
    }
}
