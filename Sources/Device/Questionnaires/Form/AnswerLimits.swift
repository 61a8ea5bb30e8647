import FHIR
import Foundation

/// The limits of a question's answers.
public struct AnswerLimits: Sendable {
    /// Maximum number of characters.
    package let maxLength: Int?
    /// Minimum number of characters.
    package let minLength: Int?
    package let pattern: AnswerPattern?
    /// The form's own message for an answer that does not match the pattern.
    package let validationText: String?
    let least: AnswerLimit
    let greatest: AnswerLimit
    package let maxDecimalPlaces: Int?
    package let minOccurs: Int?
    package let maxOccurs: Int?
    /// Permitted media types such as `image/png` or `image/*`.
    package let mimeTypes: [String]
    /// Maximum size in bytes. Published forms and validators use bytes, although the extension's definition specifies
    /// megabytes.
    package let maxSize: Decimal?
    /// The permitted units; empty if there are no limits or their value set is not available.
    package let units: [Coding]
    /// Whether units other than ``units`` are permitted too.
    package let takesOtherUnits: Bool
    /// Whether the units are from a value set.
    package let hasUnitSet: Bool
    /// Permitted types of resources.
    package let referenceTypes: [String]
    /// An example or a pattern of the input.
    public let entryFormat: String?

    /// - Parameter type: the question's type, as in ``FormItem/type``.
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

    /// Returns the minimum at a time: the value of the expression, otherwise the fixed value.
    package func minimum(at moment: DateTime) -> AnswerValue? { least.value(at: moment) }

    /// Returns the maximum at a time.
    package func maximum(at moment: DateTime) -> AnswerValue? { greatest.value(at: moment) }

    /// Whether a limit depends on the time.
    package var dependsOnTime: Bool { least.dependsOnTime || greatest.dependsOnTime }

    /// Whether the form contains a limit that cannot be evaluated.
    var hasUnreadableLimit: Bool { least.isUnreadable || greatest.isUnreadable }
}
