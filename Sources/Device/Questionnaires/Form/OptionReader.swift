import FHIR
import Foundation

/// Reads what a question offers: options of its own, or a value set.
struct OptionReader {
    let questionnaire: Questionnaire
    let valueSet: (String) -> ValueSet?

    /// nil where the item offers nothing or its value set is not at hand.
    func options(of item: QuestionnaireItem) -> [FormOption]? {
        let own = item.answerOption.compactMap { option -> FormOption? in
            guard let value = AnswerValue(option.value) else { return nil }
            return FormOption(
                value: value,
                isExclusive: option.extension(FormExtension.optionExclusive)?.value?.value.bool ?? false,
                isInitial: option.initialSelected ?? false)
        }
        if !own.isEmpty { return own }
        guard let name = item.answerValueSet, let codings = codings(inSet: name) else { return nil }
        return codings.map {
            FormOption(value: AnswerValue(type: "Coding", json: $0.json), isExclusive: false, isInitial: false)
        }
    }

    /// The codings of a value set, contained or given by whoever makes the form.
    func codings(inSet name: String) -> [Coding]? {
        let set =
            name.hasPrefix("#")
            ? questionnaire.containedResource(name)?.as(ValueSet.self)
            : contained(canonical: name) ?? valueSet(name)
        return set.flatMap(codings)
    }

    private func contained(canonical: String) -> ValueSet? {
        let url = canonical.split(separator: "|").first.map(String.init)
        return questionnaire.contained.lazy.compactMap { $0.as(ValueSet.self) }.first { $0.url == url }
    }

    /// The expansion, else the concepts that are included by name; nil where the set says its members in another way.
    private func codings(in set: ValueSet) -> [Coding]? {
        let expansion = expanded(set.expansion?["contains"])
        if !expansion.isEmpty { return expansion }
        guard let includes = set.compose?["include"]?.array else { return nil }
        var codings: [Coding] = []
        for include in includes {
            // A whole system or a filter needs a terminology server.
            guard let concepts = include["concept"]?.array else { return nil }
            codings += concepts.compactMap { concept in
                concept["code"]?.string.map {
                    Coding(system: include["system"]?.string, code: $0, display: concept["display"]?.string)
                }
            }
        }
        let excluded = (set.compose?["exclude"]?.array ?? []).flatMap { exclude in
            (exclude["concept"]?.array ?? []).compactMap { concept in
                concept["code"]?.string.map { Coding(system: exclude["system"]?.string, code: $0) }
            }
        }
        return codings.filter { coding in
            !excluded.contains { $0.code == coding.code && $0.system == coding.system }
        }
    }

    private func expanded(_ entries: JSON?) -> [Coding] {
        (entries?.array ?? []).flatMap { entry -> [Coding] in
            let isAbstract = entry["abstract"]?.bool ?? false
            let own =
                isAbstract
                ? nil
                : entry["code"]?.string.map {
                    Coding(system: entry["system"]?.string, code: $0, display: entry["display"]?.string)
                }
            return [own].compactMap { $0 } + expanded(entry["contains"])
        }
    }
}
