import FHIR

/// Replaces the texts of an element and of the elements inside of it by translations.
struct TextTranslator {
    let language: LanguageTag
    let own: LanguageTag?

    /// Maximum nesting depth of elements; the JSON reader refuses deeper nesting.
    static let maximumDepth = 200

    /// The part of a form that an object is.
    enum Role {
        case root
        /// An option, an initial value or a condition: its value is a part of answers.
        case answer
        case other
    }

    private static let answers: Set<String> = ["answerOption", "initial", "enableWhen"]
    /// Members that contain no text of the form itself.
    private static let others: Set<String> = ["contained", "meta", "code"]
    /// Extensions whose text is not for people.
    private static let formal = Set([FormExtension.regex] + FormExtension.minima + FormExtension.maxima)
    /// The names of members that are texts for people.
    private static let texts: Set<String> = [
        "text", "prefix", "title", "description", "purpose", "copyright", "valueString", "valueMarkdown",
    ]
    /// Other forms of a text.
    private static let renderings: Set<String> = [
        "http://hl7.org/fhir/StructureDefinition/rendering-markdown",
        "http://hl7.org/fhir/StructureDefinition/rendering-xhtml",
    ]

    func translated(_ object: JSONObject, role: Role, depth: Int) -> JSONObject {
        guard depth < Self.maximumDepth, object["url"]?.string != TextTranslation.url else { return object }
        var result = object
        for member in object.members {
            if role == .root, Self.others.contains(member.key) || member.value.string != nil {
                continue
            }
            // Codings, and the values of options, initial values and conditions.
            let isAnswer = role == .answer && member.key != "extension"
            if isAnswer || member.key == "code" || member.value.object?["code"] != nil { continue }
            let inner: Role = Self.answers.contains(member.key) ? .answer : .other
            if let element = member.value.object {
                result[member.key] = .object(translated(element, role: inner, depth: depth + 1))
            } else if let elements = member.value.array {
                result[member.key] = .array(
                    elements.map { $0.object.map { .object(translated($0, role: inner, depth: depth + 1)) } ?? $0 })
            }
        }
        guard role != .answer, !Self.formal.contains(object["url"]?.string ?? "") else { return result }
        for key in Self.texts { translate(key, of: &result, from: object) }
        return result
    }

    private func translate(_ key: String, of result: inout JSONObject, from object: JSONObject) {
        guard let text = object[key]?.string, let element = PrimitiveElement(json: object["_" + key]),
            let found = TextTranslation.best(element.translations, for: language, own: own)
        else { return }
        result[key] = .string(found.content)
        let replaced = Set((found.element?.extension ?? []).compactMap(\.url))
        let inner = PrimitiveElement(json: result["_" + key])?.extension ?? element.extension
        var extensions = zip(element.extension, inner).filter { given, _ in
            if let translation = TextTranslation(given) { return translation.language != found.language }
            guard let url = given.url else { return true }
            if replaced.contains(url) { return false }
            // The renderings of the earlier text remain only if they have a translation of their own.
            return !Self.renderings.contains(url)
                || TextTranslation.best(given.valueElement?.translations ?? [], for: language, own: own) != nil
        }.map(\.1)
        extensions += found.element?.extension ?? []
        if let earlier = own ?? LanguageTag("und") {
            extensions.append(TextTranslation(language: earlier, content: text).extension)
        }
        var sibling = element
        sibling.extension = extensions
        result["_" + key] = sibling.json
    }
}
