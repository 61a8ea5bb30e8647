import FHIR

/// The designations of the codings of a form in a language, from value sets and code systems
/// (<https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.concept.designation>).
package struct DesignationReader {
    private let texts: ConceptTexts
    private let language: LanguageTag

    /// - Parameter texts: the texts of the form's value sets and code systems.
    package init(_ texts: ConceptTexts, in language: LanguageTag) {
        self.texts = texts
        self.language = language
    }

    /// Returns the text of a coding in the language: the translation of its display, otherwise the designation in the
    /// value set, otherwise that in the code system; nil if there is none.
    ///
    /// - Parameter set: the value set of the question; nil if it has options of its own.
    package func text(of coding: Coding, inSet set: String?) -> String? {
        let own = texts.questionnaire.ownLanguage
        if let found = TextTranslation.best(coding.displayElement?.translations ?? [], for: language, own: own) {
            return found.content
        }
        guard let code = coding.code else { return nil }
        let key = ConceptTexts.Key(system: coding.system, code: code)
        if let set, let found = first(texts.entries(ofSet: set)[key]) { return found }
        return coding.system.flatMap { first(texts.entries(ofSystem: $0)[code]) }
    }

    /// Returns the text of an option in the language; nil if the option has its own text only.
    package func label(of option: Questionnaire.Item.AnswerOption) -> String? {
        switch option.value {
        case .coding(let coding)?: text(of: coding, inSet: nil)
        case .string?:
            TextTranslation.best(
                option.valueElement?.translations ?? [], for: language, own: texts.questionnaire.ownLanguage)?.content
        default: nil
        }
    }

    private func first(_ entries: [ConceptTexts.Entry]?) -> String? {
        entries?.lazy.compactMap { best($0) }.first
    }

    private func best(_ entry: ConceptTexts.Entry) -> String? {
        for tag in language.fallbacks {
            if let found = entry.translations.first(where: { $0.language == tag }) { return found.content }
            let fitting = entry.designations.filter { $0.language == tag }
            if let least = fitting.map(\.rank).min() { return fitting.first { $0.rank == least }?.content }
        }
        return nil
    }
}
