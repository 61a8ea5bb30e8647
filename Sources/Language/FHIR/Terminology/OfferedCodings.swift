/// The codings that the questions of a form offer, as far as they are listed by the form, the given value sets and FHIR
/// R4's own value sets (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.answerValueSet>).
public struct OfferedCodings {
    private let questionnaire: Questionnaire
    private let valueSet: (String) -> ValueSet?
    private let cache = Cache()

    /// The codings of the value sets of questions: many questions of a form have the same set. A coding has the weight
    /// of its concept as an extension.
    private final class Cache {
        var codings: [String: [Coding]?] = [:]
    }

    /// - Parameter valueSet: returns the value set with a canonical URL that the form does not contain; nil if it is
    ///   not available.
    public init(of questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet? = { _ in nil }) {
        self.questionnaire = questionnaire
        self.valueSet = valueSet
    }

    /// Returns the codings of a question: those among its own options, or those of its value set if it has no option of
    /// its own; nil if its value set cannot be listed.
    public func codings(of item: Questionnaire.Item) -> [Coding]? {
        guard item.answerOption.isEmpty else {
            return item.answerOption.compactMap { option in
                if case .coding(let coding)? = option.value { coding } else { nil }
            }
        }
        guard let name = item.answerValueSet else { return [] }
        return codings(inSet: name)
    }

    /// Returns the codings of a value set, by `#id` or canonical URL; nil if it is not available or needs a terminology
    /// server.
    public func codings(inSet name: String) -> [Coding]? {
        weightedCodings(inSet: name)?.map(\.coding)
    }

    /// Returns the codings of a value set, each with the weight of its concept if it has one
    /// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>): an extension of the concept, or a
    /// property of R5's expansion.
    package func weightedCodings(inSet name: String) -> [(coding: Coding, weight: JSONNumber?)]? {
        marked(inSet: name)?.map { marked in
            guard let weight = ConceptWeight.number(in: marked.extension) else { return (marked, nil) }
            var coding = marked
            coding.extension = []
            return (coding, weight)
        }
    }

    private func marked(inSet name: String) -> [Coding]? {
        if let found = cache.codings[name] { return found }
        var known: [String: [Coding]?] = [:]
        let found = codings(inSet: name, known: &known)
        cache.codings[name] = .some(found)
        return found
    }

    /// - Parameter known: the codings of the sets visited so far, each read once however many sets include it. A set
    ///   that is still being read has none, because sets may include each other in a cycle.
    private func codings(inSet name: String, known: inout [String: [Coding]?]) -> [Coding]? {
        let set =
            name.hasPrefix("#")
            ? questionnaire.containedResource(name)?.as(ValueSet.self)
            : contained(canonical: name) ?? valueSet(name)
        guard let set else { return name.hasPrefix("#") ? nil : BaseValueSets.r4.codings(of: CanonicalURL(name)) }
        // A set has two names, its id in the form and its URL.
        let key = set.url ?? name
        if let codings = known[key] { return codings }
        known[key] = .some([])
        let codings = codings(in: set, known: &known)
        known[key] = .some(codings)
        return codings
    }

    private func contained(canonical: String) -> ValueSet? {
        let url = CanonicalURL(canonical).url
        return questionnaire.contained.lazy.compactMap { $0.as(ValueSet.self) }.first { $0.url == url }
    }

    /// Returns the expansion or, without one, the concepts that are included by name; nil if the set is defined in
    /// another way.
    private func codings(in set: ValueSet, known: inout [String: [Coding]?]) -> [Coding]? {
        let expansion = expanded(set.expansion?.contains ?? [])
        if !expansion.isEmpty { return expansion }
        guard let compose = set.compose, !compose.include.isEmpty else { return nil }
        var codings: [Coding] = []
        // A value set has each code once, however many parts include it.
        var seen: Set<Key> = []
        for include in compose.include {
            guard let members = self.codings(of: include, known: &known) else { return nil }
            codings += members.filter { seen.insert(Key($0)).inserted }
        }
        for exclude in compose.exclude {
            guard let excluded = self.codings(of: exclude, known: &known) else { return nil }
            let keys = Set(excluded.map(Key.init))
            codings.removeAll { keys.contains(Key($0)) }
        }
        return codings
    }

    /// The system and code of a coding, which identify it.
    private struct Key: Hashable {
        let system: String?
        let code: String?

        init(_ coding: Coding) {
            system = coding.system
            code = coding.code
        }
    }

    /// Returns the codings of one `include` or `exclude`: its concepts, all of a code system of R4, the codings common
    /// to the sets it names, or both at once. Another whole system or a filter needs a terminology server.
    private func codings(of part: ValueSet.Compose.Include, known: inout [String: [Coding]?]) -> [Coding]? {
        let concepts = part.concept.compactMap { concept in
            concept.code.map { code in
                ConceptWeight.marked(
                    Coding(system: part.system, code: code, display: concept.display), by: concept.extension)
            }
        }
        guard part.filter.isEmpty else { return nil }
        var members: [Coding]? = part.concept.isEmpty ? nil : concepts
        if part.concept.isEmpty, let system = part.system {
            guard let whole = BaseValueSets.r4.codings(ofSystem: system) else { return nil }
            members = whole
        }
        guard members != nil || !part.valueSet.isEmpty else { return nil }
        for name in part.valueSet {
            guard let set = codings(inSet: name, known: &known) else { return nil }
            let keys = Set(set.map(Key.init))
            members = members.map { $0.filter { keys.contains(Key($0)) } } ?? set
        }
        return members
    }

    private func expanded(_ entries: [ValueSet.Expansion.Contains]) -> [Coding] {
        entries.flatMap { entry -> [Coding] in
            let isAbstract = entry.abstract ?? false
            let own =
                isAbstract
                ? nil
                : entry.code.map { code in
                    ConceptWeight.marked(
                        Coding(system: entry.system, code: code, display: entry.display), by: entry.extension)
                }
            return [own].compactMap { $0 } + expanded(entry.contains)
        }
    }
}
