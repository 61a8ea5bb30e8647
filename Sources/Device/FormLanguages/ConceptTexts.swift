import FHIR

/// The texts of concepts in the value sets and code systems of a form, in all languages.
///
/// A value set or code system is read once, when it is first asked for.
package final class ConceptTexts {
    /// A concept of a value set.
    struct Key: Hashable {
        let system: String?
        let code: String
    }

    /// The texts of a concept at one position of a value set or code system.
    struct Entry {
        let display: String?
        /// The translations of the display.
        let translations: [TextTranslation]
        let designations: [Designation]
    }

    /// A designation of a concept
    /// (<https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.concept.designation>).
    struct Designation {
        /// nil if the designation has no language.
        let language: LanguageTag?
        let content: String
        /// The order among texts of one language: 0 for the usual one.
        let rank: Int

        init?(language: String?, use: Coding?, value: String?) {
            guard let value, !value.isEmpty else { return nil }
            self.language = language.flatMap { LanguageTag($0) }
            content = value
            rank =
                switch use?.code {
                case nil, "display", "preferredForLanguage": 0
                // SNOMED CT's fully specified name has the kind of the concept in brackets.
                case "900000000000003001": 2
                default: 1
                }
        }
    }

    let questionnaire: Questionnaire
    private let valueSet: (String) -> ValueSet?
    private let codeSystem: (String) -> CodeSystem?
    private var sets: [String: [Key: [Entry]]] = [:]
    private var systems: [String: [String: [Entry]]] = [:]
    private lazy var contained = questionnaire.contained.compactMap { $0.as(CodeSystem.self) }

    /// - Parameters:
    ///   - valueSet: returns a value set that the form does not contain.
    ///   - codeSystem: returns a code system that the form does not contain.
    package init(
        of questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet?,
        codeSystem: @escaping (String) -> CodeSystem?
    ) {
        self.questionnaire = questionnaire
        self.valueSet = valueSet
        self.codeSystem = codeSystem
    }

    /// Returns the texts of the concepts that a value set lists.
    func entries(ofSet name: String) -> [Key: [Entry]] {
        if let found = sets[name] { return found }
        var entries: [Key: [Entry]] = [:]
        var visited: Set<String> = []
        var open = [name]
        // Sets may include each other in a cycle; each is read once.
        while let name = open.popLast() {
            guard visited.insert(name).inserted, visited.count <= Self.maximumSets, let set = resolved(name) else {
                continue
            }
            read(set.expansion?.contains ?? [], into: &entries)
            for include in set.compose?.include ?? [] {
                for concept in include.concept {
                    guard let code = concept.code else { continue }
                    let designations = concept.designation.compactMap {
                        Designation(language: $0.language, use: $0.use, value: $0.value)
                    }
                    entries[Key(system: include.system, code: code), default: []].append(
                        Entry(
                            display: concept.display, translations: concept.displayElement?.translations ?? [],
                            designations: designations))
                }
                open += include.valueSet
            }
        }
        sets[name] = entries
        return entries
    }

    /// Maximum number of value sets that one value set includes.
    private static let maximumSets = 1_000

    private func resolved(_ name: String) -> ValueSet? {
        if name.hasPrefix("#") { return questionnaire.containedResource(name)?.as(ValueSet.self) }
        let url = CanonicalURL(name).url
        return questionnaire.contained.lazy.compactMap { $0.as(ValueSet.self) }.first { $0.url == url }
            ?? valueSet(name)
    }

    private func read(_ contains: [ValueSet.Expansion.Contains], into entries: inout [Key: [Entry]]) {
        for entry in contains {
            if let code = entry.code {
                let designations = entry.designation.compactMap {
                    Designation(language: $0.language, use: $0.use, value: $0.value)
                }
                entries[Key(system: entry.system, code: code), default: []].append(
                    Entry(
                        display: entry.display, translations: entry.displayElement?.translations ?? [],
                        designations: designations))
            }
            read(entry.contains, into: &entries)
        }
    }

    /// Returns the texts of the concepts of a code system and of its supplements.
    func entries(ofSystem url: String) -> [String: [Entry]] {
        if let found = systems[url] { return found }
        var entries: [String: [Entry]] = [:]
        let named = contained.filter { system in
            system.url == url || system.supplements.map { CanonicalURL($0).url } == url
        }
        for system in named + [codeSystem(url)].compactMap({ $0 }) { read(system.concept, into: &entries) }
        systems[url] = entries
        return entries
    }

    private func read(_ concepts: [CodeSystem.Concept], into entries: inout [String: [Entry]]) {
        for concept in concepts {
            if let code = concept.code {
                let designations = concept.designation.compactMap {
                    Designation(language: $0.language, use: $0.use, value: $0.value)
                }
                entries[code, default: []].append(
                    Entry(
                        display: concept.display, translations: concept.displayElement?.translations ?? [],
                        designations: designations))
            }
            read(concept.concept, into: &entries)
        }
    }
}
