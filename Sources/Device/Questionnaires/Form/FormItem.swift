import FHIR
import Foundation

/// The types of items (<https://hl7.org/fhir/R4/valueset-item-type.html>).
public enum ItemType: String, Sendable, CaseIterable {
    case group, display, question, boolean, decimal, integer, date, dateTime, time, string, text, url, choice
    case openChoice = "open-choice"
    case attachment, reference, quantity

    /// The `value[x]` types that answer it.
    public var answerTypes: [String] {
        switch self {
        case .group, .display, .question: []
        case .boolean: ["Boolean"]
        case .decimal: ["Decimal"]
        case .integer: ["Integer"]
        case .date: ["Date"]
        case .dateTime: ["DateTime"]
        case .time: ["Time"]
        case .string, .text: ["String"]
        case .url: ["Uri"]
        case .choice: ["Coding"]
        case .openChoice: ["Coding", "String"]
        case .attachment: ["Attachment"]
        case .reference: ["Reference"]
        case .quantity: ["Quantity"]
        }
    }
}

/// An item of a form, with everything read that the engine needs.
public final class FormItem: Sendable {
    /// The item's place in the form's order; also its key.
    public let index: Int
    public let linkID: String
    public let type: ItemType
    /// What is asked or shown.
    public let text: String?
    public let prefix: String?
    public let isRequired: Bool
    public let repeats: Bool
    public let isReadOnly: Bool
    public let isHidden: Bool
    /// The values it offers; nil where it offers none, or where its value set is not at hand.
    public let options: [FormOption]?
    public let conditions: [EnableCondition]
    /// Whether one fulfilled condition is enough.
    public let enabledByAny: Bool
    public let limits: AnswerLimits
    public let initial: [AnswerValue]
    public let children: [FormItem]
    /// The items above it, the outermost first.
    let ancestors: [Int]
    /// The unit that a bare number means.
    public let unit: Coding?

    init(
        index: Int, source: QuestionnaireItem, type: ItemType, options: [FormOption]?, children: [FormItem],
        ancestors: [Int]
    ) {
        self.index = index
        self.type = type
        self.options = options
        self.children = children
        self.ancestors = ancestors
        linkID = source.linkId ?? ""
        text = source.label
        prefix = source.prefix
        isRequired = source.required ?? false
        repeats = source.repeats ?? false
        isReadOnly = source.readOnly ?? false
        isHidden = source.extension(FormExtension.hidden)?.value?.value.bool ?? false
        conditions = source.enableWhen.map { EnableCondition($0) }
        enabledByAny = source.enableBehavior == "any"
        limits = AnswerLimits(source)
        unit = source.extension(FormExtension.unit)?.value.flatMap { Coding(json: $0.value) }
        initial =
            source.initial.isEmpty
            ? (options ?? []).filter(\.isInitial).map(\.value) : source.initial.compactMap { AnswerValue($0.value) }
    }

    /// Whether it takes answers.
    public var isQuestion: Bool { type != .group && type != .display }

    /// The initial value given to a read-only copy of an item, for looking it up by index.
    var depth: Int { ancestors.count }
}

/// A value that a question offers.
public struct FormOption: Sendable, Hashable {
    public let value: AnswerValue
    /// Whether it rules all others out.
    public let isExclusive: Bool
    public let isInitial: Bool
}

/// One `enableWhen`.
public struct EnableCondition: Sendable {
    public enum Comparison: String, Sendable {
        case exists
        case equal = "="
        case notEqual = "!="
        case greater = ">"
        case less = "<"
        case greaterOrEqual = ">="
        case lessOrEqual = "<="
    }

    public let question: String
    /// nil where the operator is none that FHIR knows.
    public let comparison: Comparison?
    public let expected: AnswerValue?

    init(_ source: EnableWhen) {
        question = source.question ?? ""
        comparison = source.comparison.flatMap { Comparison(rawValue: $0) }
        expected = AnswerValue(source.answer)
    }
}

/// The URLs of the extensions that are read.
enum FormExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"
    static let hidden = core + "questionnaire-hidden"
    static let unit = core + "questionnaire-unit"
    static let unitOption = core + "questionnaire-unitOption"
    static let unitValueSet = core + "questionnaire-unitValueSet"
    static let optionExclusive = core + "questionnaire-optionExclusive"
    static let minValue = core + "minValue"
    static let maxValue = core + "maxValue"
    static let minLength = core + "minLength"
    static let regex = core + "regex"
    static let maxDecimalPlaces = core + "maxDecimalPlaces"
    static let mimeType = core + "mimeType"
    static let maxSize = core + "maxSize"
    static let minOccurs = core + "questionnaire-minOccurs"
    static let maxOccurs = core + "questionnaire-maxOccurs"
    static let referenceResource = core + "questionnaire-referenceResource"
    static let minQuantity = sdc + "sdc-questionnaire-minQuantity"
    static let maxQuantity = sdc + "sdc-questionnaire-maxQuantity"
    static let entryFormat = core + "entryFormat"
    static let validationTexts = [
        "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
        "http://biodesign.stanford.edu/fhir/StructureDefinition/validationtext",
    ]
}

/// What an answer must keep to.
public struct AnswerLimits: Sendable {
    let maxLength: Int?
    let minLength: Int?
    let regex: String?
    /// The form's own words for a failed check.
    let validationText: String?
    let minimum: AnswerValue?
    let maximum: AnswerValue?
    let maxDecimalPlaces: Int?
    let minOccurs: Int?
    let maxOccurs: Int?
    let mimeTypes: [String]
    /// Bytes.
    let maxSize: Decimal?
    let units: [Coding]
    /// A set of units, where it is not at hand.
    let hasUnitSet: Bool
    let unitSet: String?
    let referenceTypes: [String]
    /// An example or a pattern of what to type.
    public let entryFormat: String?

    init(_ item: QuestionnaireItem) {
        func value(_ urls: String...) -> (type: String, value: JSON)? {
            urls.lazy.compactMap { item.extension($0)?.value }.first
        }
        maxLength = item.maxLength
        minLength = value(FormExtension.minLength)?.value.integer
        regex = value(FormExtension.regex)?.value.string
        validationText = FormExtension.validationTexts.lazy.compactMap { item.extension($0)?.value?.value.string }.first
        minimum = AnswerValue(value(FormExtension.minQuantity, FormExtension.minValue))
        maximum = AnswerValue(value(FormExtension.maxQuantity, FormExtension.maxValue))
        maxDecimalPlaces = value(FormExtension.maxDecimalPlaces)?.value.integer
        minOccurs = value(FormExtension.minOccurs)?.value.integer
        maxOccurs = value(FormExtension.maxOccurs)?.value.integer
        mimeTypes = item.extensions(FormExtension.mimeType).compactMap { $0.value?.value.string }
        maxSize = value(FormExtension.maxSize)?.value.number?.decimal
        units = item.extensions(FormExtension.unitOption).compactMap { $0.value.flatMap { Coding(json: $0.value) } }
        unitSet = value(FormExtension.unitValueSet)?.value.string
        hasUnitSet = unitSet != nil
        referenceTypes = item.extensions(FormExtension.referenceResource).compactMap { $0.value?.value.string }
        entryFormat = value(FormExtension.entryFormat)?.value.string
    }
}
