import FHIR

/// The library's sentences in other languages than English: German, Spanish and French, and those of files.
///
/// A file is a JSON object with the language and, for each English template, its translation:
///
/// ```json
/// {"language": "it", "sentences": {"The question needs an answer.": "La domanda richiede una risposta."}}
/// ```
///
/// A translation contains the same parameters (`{1}`, `{2}` ...) as its template, in any order. A sentence without a
/// translation is English.
public struct SentenceTable: Sendable {
    /// For each language, the translations by the English template.
    private var translations: [LanguageTag: [String: String]]

    /// The sentences of the library in German, Spanish and French.
    public static let standard = SentenceTable(translations: [:])
        .adding([("de", german), ("es", spanish), ("fr", french)])

    private init(translations: [LanguageTag: [String: String]]) { self.translations = translations }

    /// Returns the table with further sentences.
    ///
    /// - Parameter parts: for each language a text with pairs of lines, the template and its translation.
    package func adding(_ parts: [(language: String, text: StaticString)]) -> SentenceTable {
        var table = self
        for part in parts {
            guard let language = LanguageTag(part.language) else { continue }
            let lines = part.text.description.split(separator: "\n").map(String.init)
            for index in stride(from: 0, to: lines.count - 1, by: 2) {
                table.translations[language, default: [:]][lines[index]] = lines[index + 1]
            }
        }
        return table
    }

    /// The languages of the table, and English.
    public var languages: [String] { (["en"] + translations.keys.map(\.text)).sorted() }

    /// The English templates that have a translation in some language: those that a file can translate.
    public var templates: [String] { Set(translations.values.flatMap(\.keys)).sorted() }

    /// Returns the template in a language; nil if the sentence is English.
    func template(_ template: String, in language: String?) -> String? {
        for tag in language.flatMap({ LanguageTag($0) })?.fallbacks ?? [] {
            if let found = translations[tag]?[template] { return found }
            if tag.text == "en" { return nil }
        }
        return nil
    }

    /// Returns whether the table has any sentence in a language, or in a less particular one.
    public func contains(_ language: String) -> Bool {
        (LanguageTag(language)?.fallbacks ?? []).contains { $0 == LanguageTag("en") || translations[$0] != nil }
    }

    /// Adds the sentences of a file. They replace those of the table in the same language.
    ///
    /// - Throws: ``SentenceTableError`` if the JSON is no such file; the table is then unchanged.
    public mutating func add(_ file: JSON) throws(SentenceTableError) {
        guard let language = file["language"]?.string.flatMap({ LanguageTag($0) }) else {
            throw SentenceTableError(reason: .language)
        }
        guard let sentences = file["sentences"]?.object else { throw SentenceTableError(reason: .sentences) }
        var added: [String: String] = [:]
        for member in sentences.members {
            guard let text = member.value.string, !text.isEmpty else {
                throw SentenceTableError(reason: .text, template: member.key)
            }
            guard Sentence.placeholders(in: text) == Sentence.placeholders(in: member.key) else {
                throw SentenceTableError(reason: .parameters, template: member.key)
            }
            added[member.key] = text
        }
        translations[language, default: [:]].merge(added) { $1 }
    }
}

/// An error for a file that contains no sentences.
public struct SentenceTableError: CodedError, Hashable {
    /// The part of the file that is wrong.
    public enum Reason: Sendable, Hashable { case language, sentences, text, parameters }

    /// The part of the file that is wrong.
    public let reason: Reason
    /// The English template of the sentence that is wrong; nil if the file as a whole is.
    public let template: String?

    init(reason: Reason, template: String? = nil) {
        self.reason = reason
        self.template = template
    }

    public var code: String { "sentences-invalid" }

    public var message: String {
        let sentence = template.map { " \"\($0.prefix(200))\"" } ?? ""
        return switch reason {
        case .language: "The file of sentences needs a language, such as \"it\"."
        case .sentences: "The file of sentences needs a member sentences with an object."
        case .text: "The sentence\(sentence) needs a text."
        case .parameters: "The sentence\(sentence) needs the same parameters, such as {1}, as in English."
        }
    }
}
