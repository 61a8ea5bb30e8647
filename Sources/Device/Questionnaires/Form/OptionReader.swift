import FHIR
import Foundation

/// Reads the options of a question: its own, or those of a value set.
struct OptionReader {
    let offered: OfferedCodings
    private let texts: ConceptTexts
    private let designations: DesignationReader?

    /// - Parameters:
    ///   - language: the language of labels; nil for the display texts of codings.
    ///   - valueSet: returns a value set that the form does not contain.
    ///   - codeSystem: returns a code system that the form does not contain.
    init(
        _ questionnaire: Questionnaire, language: LanguageTag?, valueSet: @escaping (String) -> ValueSet?,
        codeSystem: @escaping (String) -> CodeSystem?
    ) {
        offered = OfferedCodings(of: questionnaire, valueSet: valueSet)
        let texts = ConceptTexts(of: questionnaire, valueSet: valueSet, codeSystem: codeSystem)
        self.texts = texts
        designations = language.map { DesignationReader(texts, in: $0) }
    }

    /// Returns the options; nil if the item has none or its value set is not available.
    func options(of item: Questionnaire.Item) -> [FormOption]? {
        let own = item.answerOption.compactMap { option -> FormOption? in
            guard let value = AnswerValue(option.value) else { return nil }
            return FormOption(
                value: value,
                isExclusive: option.extension(FormExtension.optionExclusive)?.value?.json.bool ?? false,
                isInitial: option.initialSelected ?? false,
                prefix: option.extension(FormExtension.optionPrefix)?.value?.json.string,
                weight: OptionWeight.number(in: option.extension)
                    ?? OptionWeight.number(in: value.coding?.extension ?? option.valueElement?.extension ?? []),
                label: designations?.label(of: option),
                names: value.coding.flatMap { texts.names(of: $0, inSet: nil) })
        }
        if !own.isEmpty { return own }
        return item.answerValueSet.flatMap { options(inSet: $0) }
    }

    /// Returns the options of a value set; nil if it is not available.
    func options(inSet name: String) -> [FormOption]? {
        offered.weightedCodings(inSet: name)?.map { coding, weight in
            FormOption(
                value: AnswerValue(type: "Coding", json: coding.json), weight: weight,
                label: designations?.text(of: coding, inSet: name), names: texts.names(of: coding, inSet: name))
        }
    }
}
