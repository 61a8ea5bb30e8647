import FHIR
import Foundation

/// Reads what a question offers: options of its own, or a value set.
struct OptionReader {
    let questionnaire: Questionnaire
    let valueSet: (String) -> ValueSet?

    /// nil where the item offers nothing or its value set is not at hand.
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
        let expansion = expanded(set.expansion?.contains ?? [])
        if !expansion.isEmpty { return expansion }
        guard let compose = set.compose, !compose.include.isEmpty else { return nil }
        var codings: [Coding] = []
        for include in compose.include {
            guard let members = self.codings(of: include, below: below) else { return nil }
            codings += members
        }
        for exclude in compose.exclude {
            guard let excluded = self.codings(of: exclude, below: below) else { return nil }
            codings.removeAll { coding in
                excluded.contains { $0.code == coding.code && $0.system == coding.system }
            }
        }
        return codings
    }

    /// One `include` or `exclude`: its concepts, the members common to the sets it names, or both at once. A whole
    /// system or a filter needs a terminology server.
    private func codings(of part: ValueSet.Compose.Include, below: [String]) -> [Coding]? {
        let concepts = part.concept.compactMap { concept in
            concept.code.map { Coding(system: part.system, code: $0, display: concept.display) }
        }
        let isNamed = !part.concept.isEmpty
        guard isNamed || (!part.valueSet.isEmpty && part.system == nil), part.filter.isEmpty else { return nil }
        var members = isNamed ? concepts : nil
        for name in part.valueSet {
            guard let set = codings(inSet: name, below: below) else { return nil }
            members =
                members.map { members in
                    members.filter { coding in set.contains { $0.code == coding.code && $0.system == coding.system } }
                } ?? set
        }
        return members
    }

    private func expanded(_ entries: [ValueSet.Expansion.Contains]) -> [Coding] {
        entries.flatMap { entry -> [Coding] in
            let isAbstract = entry.abstract ?? false
            let own =
                isAbstract ? nil : entry.code.map { Coding(system: entry.system, code: $0, display: entry.display) }
            return [own].compactMap { $0 } + expanded(entry.contains)
        }
    }
}
