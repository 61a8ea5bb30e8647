import FHIR
import Foundation

/// The limits that an answer must keep to.
public struct AnswerLimits: Sendable {
    /// Characters.
    let maxLength: Int?
    /// Characters.
    let minLength: Int?
    let pattern: AnswerPattern?
    /// The form's own words for an answer that the pattern does not match.
    let validationText: String?
    private let least: AnswerLimit
    private let greatest: AnswerLimit
    let maxDecimalPlaces: Int?
    package let minOccurs: Int?
    package let maxOccurs: Int?
    /// Such as `image/png` or `image/*`.
    let mimeTypes: [String]
    /// Bytes: the published forms and validators count so, though the extension's definition speaks of megabytes.
    let maxSize: Decimal?
    /// The units that are taken; empty where there are no such limits or where they are not at hand.
    package let units: [Coding]
    /// Whether units outside of ``units`` are taken too.
    let takesOtherUnits: Bool
    /// Whether the units are those of a value set.
    let hasUnitSet: Bool
    /// Types of resources.
    let referenceTypes: [String]
    /// An example or a pattern of what to type.
    public let entryFormat: String?

    /// - Parameter type: the question's, as ``FormItem/type``.
    init(_ item: Questionnaire.Item, of type: QuestionnaireItemType, options: OptionReader) {
        func value(_ urls: String...) -> OpenChoice? {
            urls.lazy.compactMap { item.extension($0)?.value }.first
        }
        maxLength = item.maxLength
        minLength = value(FormExtension.minLength)?.json.integer
        pattern = value(FormExtension.regex)?.json.string.flatMap { AnswerPattern($0) }
        validationText = FormExtension.validationTexts.lazy.compactMap { item.extension($0)?.value?.json.string }.first
        least = AnswerLimit(FormExtension.minima.flatMap { item.extensions($0) }, of: type)
        greatest = AnswerLimit(FormExtension.maxima.flatMap { item.extensions($0) }, of: type)
        maxDecimalPlaces = value(FormExtension.maxDecimalPlaces)?.json.integer
        minOccurs = value(FormExtension.minOccurs)?.json.integer
        maxOccurs = value(FormExtension.maxOccurs)?.json.integer
        mimeTypes = item.extensions(FormExtension.mimeType).compactMap { $0.value?.json.string }
        maxSize = value(FormExtension.maxSize)?.json.number?.decimal
        let unitSet = value(FormExtension.unitValueSet)?.json.string
        hasUnitSet = unitSet != nil
        units =
            item.extensions(FormExtension.unitOption).compactMap { $0.value.flatMap { Coding(json: $0.json) } }
            + (unitSet.flatMap { options.offered.codings(inSet: $0) } ?? [])
        takesOtherUnits = ["optionsOrType", "optionsOrString"].contains(value(FormExtension.unitOpen)?.json.string)
        referenceTypes = item.extensions(FormExtension.referenceResource).compactMap { $0.value?.json.string }
        entryFormat = value(FormExtension.entryFormat)?.json.string
    }

    /// The least value that is taken at a moment: the one that an expression gives, else the one that is written.
    func minimum(at moment: DateTime) -> AnswerValue? { least.value(at: moment) }

    /// The greatest value that is taken at a moment.
    func maximum(at moment: DateTime) -> AnswerValue? { greatest.value(at: moment) }

    /// Whether the form gives a limit that cannot be worked out.
    var hasUnreadableLimit: Bool { least.isUnreadable || greatest.isUnreadable }
}
