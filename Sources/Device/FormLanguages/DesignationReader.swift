import FHIR

/// The designations of the codings of a form in a language, from value sets and code systems
/// (<https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.concept.designation>).
package final class DesignationReader {
    private let questionnaire: Questionnaire
    private let language: LanguageTag
    private let valueSet: (String) -> ValueSet?
    private let codeSystem: (String) -> CodeSystem?
    private var sets: [String: [Key: String]] = [:]
    private var systems: [String: [String: String]] = [:]
    private lazy var contained = questionnaire.contained.compactMap { $0.as(CodeSystem.self) }

    private struct Key: Hashable {
        let system: String?
        let code: String
    }

    /// A text of a concept in some language.
    private struct Designation {
        let language: LanguageTag
        let content: String
        /// The order among texts of one language: 0 for the usual one.
        let rank: Int

        init?(language: String?, use: Coding?, value: String?) {
            guard let language = language.flatMap({ LanguageTag($0) }), let value, !value.isEmpty else { return nil }
            self.language = language
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

    /// - Parameters:
    ///   - valueSet: returns a value set that the form does not contain.
    ///   - codeSystem: returns a code system that the form does not contain.
    package init(
        of questionnaire: Questionnaire, in language: LanguageTag, valueSet: @escaping (String) -> ValueSet?,
        codeSystem: @escaping (String) -> CodeSystem?
    ) {
        self.questionnaire = questionnaire
        self.language = language
        self.valueSet = valueSet
        self.codeSystem = codeSystem
    }

    /// Returns the text of a coding in the language: the translation of its display, otherwise the designation in the
    /// value set, otherwise that in the code system; nil if there is none.
    ///
    /// - Parameter set: the value set of the question; nil if it has options of its own.
    package func text(of coding: Coding, inSet set: String?) -> String? {
        let own = questionnaire.ownLanguage
        if let found = TextTranslation.best(coding.displayElement?.translations ?? [], for: language, own: own) {
            return found.content
        }
        guard let code = coding.code else { return nil }
        if let set, let found = texts(ofSet: set)[Key(system: coding.system, code: code)] { return found }
        return coding.system.flatMap { texts(ofSystem: $0)[code] }
    }

    /// Returns the text of an option in the language; nil if the option has its own text only.
    package func label(of option: Questionnaire.Item.AnswerOption) -> String? {
        switch option.value {
        case .coding(let coding)?: text(of: coding, inSet: nil)
        case .string?:
            TextTranslation.best(
                option.valueElement?.translations ?? [], for: language, own: questionnaire.ownLanguage)?.content
        default: nil
        }
    }

    // MARK: Value sets

    private func texts(ofSet name: String) -> [Key: String] {
        if let found = sets[name] { return found }
        var texts: [Key: String] = [:]
        var visited: Set<String> = []
        var open = [name]
        // Sets may include each other in a cycle; each is read once.
        while let name = open.popLast() {
            guard visited.insert(name).inserted, visited.count <= Self.maximumSets, let set = resolved(name) else {
                continue
            }
            read(set.expansion?.contains ?? [], into: &texts)
            for include in set.compose?.include ?? [] {
                for concept in include.concept {
                    guard let code = concept.code, let text = text(of: concept) else { continue }
                    let key = Key(system: include.system, code: code)
                    if texts[key] == nil { texts[key] = text }
                }
                open += include.valueSet
            }
        }
        sets[name] = texts
        return texts
    }

    /// Maximum number of value sets that one value set includes.
    private static let maximumSets = 1_000

    private func resolved(_ name: String) -> ValueSet? {
        if name.hasPrefix("#") { return questionnaire.containedResource(name)?.as(ValueSet.self) }
        let url = CanonicalURL(name).url
        return questionnaire.contained.lazy.compactMap { $0.as(ValueSet.self) }.first { $0.url == url }
            ?? valueSet(name)
    }

    private func read(_ entries: [ValueSet.Expansion.Contains], into texts: inout [Key: String]) {
        for entry in entries {
            if let code = entry.code,
                let text = best(
                    entry.designation.compactMap {
                        Designation(language: $0.language, use: $0.use, value: $0.value)
                    }, entry.displayElement)
            {
                let key = Key(system: entry.system, code: code)
                if texts[key] == nil { texts[key] = text }
            }
            read(entry.contains, into: &texts)
        }
    }

    private func text(of concept: ValueSet.Compose.Include.Concept) -> String? {
        best(
            concept.designation.compactMap { Designation(language: $0.language, use: $0.use, value: $0.value) },
            concept.displayElement)
    }

    // MARK: Code systems

    private func texts(ofSystem url: String) -> [String: String] {
        if let found = systems[url] { return found }
        var texts: [String: String] = [:]
        let named = contained.filter { system in
            system.url == url || system.supplements.map { CanonicalURL($0).url } == url
        }
        for system in named + [codeSystem(url)].compactMap({ $0 }) { read(system.concept, into: &texts) }
        systems[url] = texts
        return texts
    }

    private func read(_ concepts: [CodeSystem.Concept], into texts: inout [String: String]) {
        for concept in concepts {
            if let code = concept.code, texts[code] == nil {
                texts[code] = best(
                    concept.designation.compactMap {
                        Designation(language: $0.language, use: $0.use, value: $0.value)
                    }, concept.displayElement)
            }
            read(concept.concept, into: &texts)
        }
    }

    // MARK: Choosing

    private func best(_ designations: [Designation], _ display: PrimitiveElement?) -> String? {
        let translations = display?.translations ?? []
        for tag in language.fallbacks {
            if let found = translations.first(where: { $0.language == tag }) { return found.content }
            let fitting = designations.filter { $0.language == tag }
            if let least = fitting.map(\.rank).min() { return fitting.first { $0.rank == least }?.content }
        }
        return nil
    }
}
