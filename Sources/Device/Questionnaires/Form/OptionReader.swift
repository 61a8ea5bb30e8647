import FHIR
import Foundation

/// Reads the options of a question: its own, or those of a value set.
struct OptionReader {
    let offered: OfferedCodings

    init(questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet?) {
        offered = OfferedCodings(of: questionnaire, valueSet: valueSet)
    }

    /// Returns the options; nil if the item has none or its value set is not available.
    func options(of item: Questionnaire.Item) -> [FormOption]? {
        let own = item.answerOption.compactMap { option -> FormOption? in
            guard let value = AnswerValue(option.value) else { return nil }
            return FormOption(
                value: value,
                isExclusive: option.extension(FormExtension.optionExclusive)?.value?.json.bool ?? false,
                isInitial: option.initialSelected ?? false,
                prefix: option.extension(FormExtension.optionPrefix)?.value?.json.string)
        }
        if !own.isEmpty { return own }
        guard let name = item.answerValueSet, let codings = offered.codings(inSet: name) else { return nil }
        return codings.map {
            FormOption(
                value: AnswerValue(type: "Coding", json: $0.json), isExclusive: false, isInitial: false, prefix: nil)
        }
    }
}
