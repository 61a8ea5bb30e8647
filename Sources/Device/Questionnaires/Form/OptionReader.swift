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
                isInitial: option.initialSelected ?? false,
                prefix: option.extension(FormExtension.optionPrefix)?.value?.value.string)
        }
        if !own.isEmpty { return own }
        guard let name = item.answerValueSet, let codings = codings(inSet: name) else { return nil }
        return codings.map {
            FormOption(
                value: AnswerValue(type: "Coding", json: $0.json), isExclusive: false, isInitial: false, prefix: nil)
        }
    }

    /// The codings of a value set, contained or given by whoever makes the form.
    func codings(inSet name: String) -> [Coding]? {
        codings(inSet: name, below: [])
    }

    /// - Parameter below: the sets that led here, since sets may include one another in a circle.
    private func codings(inSet name: String, below: [String]) -> [Coding]? {
        guard !below.contains(name) else { return [] }
        let set =
            name.hasPrefix("#")
            ? questionnaire.containedResource(name)?.as(ValueSet.self)
            : contained(canonical: name) ?? valueSet(name)
        return set.flatMap { codings(in: $0, below: below + [name]) }
    }

    private func contained(canonical: String) -> ValueSet? {
        let url = canonical.split(separator: "|").first.map(String.init)
        return questionnaire.contained.lazy.compactMap { $0.as(ValueSet.self) }.first { $0.url == url }
    }

    /// The expansion, else the concepts that are included by name; nil where the set says its members in another way.
    private func codings(in set: ValueSet, below: [String]) -> [Coding]? {
        let expansion = expanded(set.expansion?["contains"])
        if !expansion.isEmpty { return expansion }
        guard let includes = set.compose?["include"]?.array else { return nil }
        var codings: [Coding] = []
        for include in includes {
            guard let members = self.codings(of: include, below: below) else { return nil }
            codings += members
        }
        for exclude in set.compose?["exclude"]?.array ?? [] {
            guard let excluded = self.codings(of: exclude, below: below) else { return nil }
            codings.removeAll { coding in
                excluded.contains { $0.code == coding.code && $0.system == coding.system }
            }
        }
        return codings
    }

    /// One `include` or `exclude`: its concepts, the members common to the sets it names, or both at once. A whole
    /// system or a filter needs a terminology server.
    private func codings(of part: JSON, below: [String]) -> [Coding]? {
        let concepts = part["concept"]?.array.map { concepts in
            concepts.compactMap { concept in
                concept["code"]?.string.map {
                    Coding(system: part["system"]?.string, code: $0, display: concept["display"]?.string)
                }
            }
        }
        let names = (part["valueSet"]?.array ?? []).compactMap(\.string)
        guard concepts != nil || (!names.isEmpty && part["system"] == nil), part["filter"] == nil else { return nil }
        var members = concepts
        for name in names {
            guard let set = codings(inSet: name, below: below) else { return nil }
            members =
                members.map { members in
                    members.filter { coding in set.contains { $0.code == coding.code && $0.system == coding.system } }
                } ?? set
        }
        return members
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
