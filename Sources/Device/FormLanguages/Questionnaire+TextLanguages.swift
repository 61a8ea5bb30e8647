import FHIR

extension Questionnaire {
    /// The form's own language, `Questionnaire.language`
    /// (<https://hl7.org/fhir/R4/resource-definitions.html#Resource.language>); nil if it has none.
    public var ownLanguage: LanguageTag? { self["language"]?.string.flatMap { LanguageTag($0) } }

    /// The languages of the form's texts: its own language first, then those of translations and of the designations of
    /// contained value sets and code systems, in the order in which they occur. Each is written as it first occurs.
    public var languages: [LanguageTag] {
        var finder = LanguageFinder()
        if let own = ownLanguage { finder.insert(own) }
        finder.visit(object, depth: 0)
        return finder.languages
    }

    /// Returns the form with its texts in a language. The form's `language` is then the language of the translations.
    ///
    /// 1. A text is replaced by its translation for the tag, otherwise for a less particular tag (`de-CH`, then `de`).
    ///    A text without a translation remains. The earlier text becomes a translation.
    /// 2. Codings, options, initial values and conditions remain, because answers consist of them. A front end shows
    ///    the label of an option.
    /// 3. If a text is replaced, its Markdown and XHTML are those of the translation.
    ///
    /// A form without any text in the language is returned unchanged.
    public func translated(to language: LanguageTag) -> Questionnaire {
        let known = languages
        guard let spoken = language.fallbacks.lazy.compactMap({ tag in known.first { $0 == tag } }).first,
            spoken != ownLanguage
        else { return self }
        var translated = Questionnaire(
            TextTranslator(language: language, own: ownLanguage).translated(object, role: .root, depth: 0))
        translated["language"] = .string(spoken.text)
        return translated
    }
}

/// Collects the languages of translations and designations.
private struct LanguageFinder {
    private(set) var languages: [LanguageTag] = []
    private var seen: Set<LanguageTag> = []

    mutating func insert(_ language: LanguageTag) {
        if seen.insert(language).inserted { languages.append(language) }
    }

    mutating func visit(_ object: JSONObject, depth: Int) {
        guard depth < TextTranslator.maximumDepth else { return }
        if object["url"]?.string == TextTranslation.url {
            if let translation = TextTranslation(Extension(object)) { insert(translation.language) }
            return
        }
        for member in object.members {
            if member.key == "designation" {
                for entry in member.value.array ?? [] {
                    if let language = entry["language"]?.string.flatMap({ LanguageTag($0) }) { insert(language) }
                }
            }
            visit(member.value, depth: depth + 1)
        }
    }

    private mutating func visit(_ value: JSON, depth: Int) {
        if let object = value.object { return visit(object, depth: depth) }
        for element in value.array ?? [] { if let object = element.object { visit(object, depth: depth) } }
    }
}
