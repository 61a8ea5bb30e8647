import FHIR

/// A text in another language (<https://hl7.org/fhir/extensions/StructureDefinition-translation.html>).
public struct TextTranslation: Sendable, Hashable {
    /// The language of the text.
    public let language: LanguageTag
    /// The text.
    public let content: String
    /// The id and extensions of the text, such as its Markdown.
    package let element: PrimitiveElement?

    /// The extension of a text that contains a translation.
    package static let url = "http://hl7.org/fhir/StructureDefinition/translation"

    package init(language: LanguageTag, content: String, element: PrimitiveElement? = nil) {
        self.language = language
        self.content = content
        self.element = element
    }

    /// Nil for another extension, and for a translation without a language or a text.
    package init?(_ source: Extension) {
        guard source.url == Self.url,
            let language = source.extension("lang")?.value?.json.string.flatMap({ LanguageTag($0) }),
            let content = source.extension("content"), let text = content.value?.json.string, !text.isEmpty
        else { return nil }
        self.init(language: language, content: text, element: content.valueElement)
    }

    /// The translation as an extension.
    package var `extension`: Extension {
        var lang = Extension(url: "lang")
        lang.value = .code(language.text)
        var content = Extension(url: "content")
        content.value = .string(self.content)
        content.valueElement = element
        var whole = Extension(JSONObject())
        whole.extension = [lang, content]
        whole.url = Self.url
        return whole
    }

    /// Returns the translation for a language: that of the tag itself, otherwise that of a less particular tag.
    ///
    /// - Parameter own: the language of the text itself. If it is more particular than that of every translation, the
    ///   result is nil, because the text itself is preferred.
    package static func best(
        _ translations: [TextTranslation], for language: LanguageTag, own: LanguageTag?
    ) -> TextTranslation? {
        for tag in language.fallbacks {
            if let found = translations.first(where: { $0.language == tag }) { return found }
            if tag == own { return nil }
        }
        return nil
    }
}

extension PrimitiveElement {
    /// The translations of the primitive, in their order.
    package var translations: [TextTranslation] { self.extension.compactMap { TextTranslation($0) } }

    /// Returns the translation of the primitive to a language, or to a less particular one.
    package func translation(to language: LanguageTag) -> String? {
        TextTranslation.best(translations, for: language, own: nil)?.content
    }
}

extension Coding {
    /// Returns the display text in a language: a translation of it, otherwise the text itself, otherwise the code.
    ///
    /// - Parameter own: the language of the text itself; nil if it is unknown.
    public func display(in language: LanguageTag, own: LanguageTag? = nil) -> String? {
        TextTranslation.best(displayElement?.translations ?? [], for: language, own: own)?.content ?? display ?? code
    }

    /// Returns whether a text is its code, or its display text in any language.
    package func isNamed(_ text: String) -> Bool {
        code == text || display == text || (displayElement?.translations ?? []).contains { $0.content == text }
    }
}
