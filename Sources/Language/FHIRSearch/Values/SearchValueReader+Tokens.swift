import FHIR
import FHIRValidation

extension SearchValueReader {
    /// <https://hl7.org/fhir/R4/search.html#token>
    static func appendTokens(
        _ value: JSON, as form: SearchValueType, declaration: Int32, to output: inout [SearchValue]
    ) {
        func append(_ token: SearchToken?) { if let token { output.append(.token(token)) } }
        switch (form, value) {
        case (.coding, .object(let object)): append(coding(object))
        case (.codeableConcept, .object(let object)):
            for item in object["coding"]?.array ?? [] { append(item.object.flatMap(coding)) }
            if let text = object["text"]?.string { append(SearchToken(code: nil, text: text)) }
        case (.identifier, .object(let object)): append(identifier(object))
        case (.contactPoint, .object(let object)):
            append(SearchToken(code: object["value"]?.string, ignoresCase: true))
        case (.code, .string(let text)):
            append(SearchToken(system: impliedSystem(of: text, declaration), code: text))
        case (.text, .string(let text)):
            append(SearchToken(code: text, ignoresCase: true))
        case (.date, .string(let text)), (.uri, .string(let text)), (.canonical, .string(let text)),
            (.id, .string(let text)):
            append(SearchToken(code: text))
        case (.boolean, .bool(let truth)): append(SearchToken(code: truth ? "true" : "false"))
        case (.integer, .number(let number)), (.decimal, .number(let number)): append(SearchToken(code: number.text))
        default: break
        }
    }

    private static func coding(_ object: JSONObject) -> SearchToken? {
        token(
            system: object["system"]?.string, code: object["code"]?.string, display: object["display"]?.string)
    }

    /// Returns the token of a Coding, in lower case where its system is not case-sensitive.
    package static func token(system: String?, code: String?, display: String? = nil) -> SearchToken? {
        SearchToken(system: system, code: code, text: display, ignoresCase: !TokenCase.isSensitive(system))
    }

    package static func identifier(_ object: JSONObject) -> SearchToken? {
        guard let type = object["type"]?.object else {
            return SearchToken(system: object["system"]?.string, code: object["value"]?.string, ignoresCase: true)
        }
        let types = (type["coding"]?.array ?? []).prefix(maximumTypes).compactMap { coding in
            SearchToken(system: coding["system"]?.string, code: coding["code"]?.string).map {
                SearchToken.Coding(system: $0.system, code: $0.code)
            }
        }
        return SearchToken(
            system: object["system"]?.string, code: object["value"]?.string, text: type["text"]?.string, types: types,
            ignoresCase: true)
    }

    /// Maximum number of codings of an identifier's type.
    private static let maximumTypes = 16

    /// Returns the system of a `code` that its element's binding implies
    /// (<https://hl7.org/fhir/R4/datatypes.html#code>).
    private static func impliedSystem(of code: String, _ declaration: Int32) -> String? {
        guard declaration >= 0, let binding = TypeModel.r4.declaration(declaration).binding,
            binding.strength == .required
        else { return nil }
        return BuiltInTerminology.r4.system(of: code, valueSet: binding.valueSet)
    }

    // MARK: Strings

    /// <https://hl7.org/fhir/R4/search.html#string>
    static func appendStrings(
        _ value: JSON, as form: SearchValueType, declaration: Int32, to output: inout [SearchValue]
    ) {
        switch (form, value) {
        case (.humanName, .object(let object)): appendName(object, to: &output)
        case (.address, .object(let object)):
            for name in ["text", "line", "city", "district", "state", "postalCode", "country"] {
                for text in texts(object[name]) { append(text, to: &output) }
            }
        case (.codeableConcept, .object(let object)):
            if let text = object["text"]?.string { append(text, to: &output) }
            for item in object["coding"]?.array ?? [] {
                if let text = item["display"]?.string { append(text, to: &output) }
            }
        case (_, .string(let text)) where form.isPrimitiveText:
            append(text, to: &output)
            if declaration >= 0, declaration == familyName { appendWords(of: text, to: &output) }
        default: break
        }
    }

    /// Appends the parts of a name, and the whole name.
    private static func appendName(_ object: JSONObject, to output: inout [SearchValue]) {
        var whole: [String] = []
        for name in ["prefix", "given", "family", "suffix"] {
            for text in texts(object[name]) {
                append(text, to: &output)
                if name == "family" { appendWords(of: text, to: &output) }
                whole.append(text)
            }
        }
        if let text = object["text"]?.string { append(text, to: &output) }
        if whole.count > 1 { append(whole.joined(separator: " "), to: &output) }
    }

    /// Appends the further parts of a family name, so that "Quinones" finds "Carreno Quinones". Each suffix from a
    /// later word on is a value.
    private static func appendWords(of text: String, to output: inout [SearchValue]) {
        var rest = text[...]
        for _ in 0..<maximumWords {
            guard let end = rest.firstIndex(where: { $0 == " " || $0 == "-" }) else { return }
            rest = rest[end...].drop { $0 == " " || $0 == "-" }
            append(String(rest), to: &output)
        }
    }

    private static let maximumWords = 8
    private static let familyName = TypeModel.r4.type("HumanName").flatMap {
        TypeModel.r4.elementIndex(named: "family", of: $0)
    }

    private static func append(_ text: String, to output: inout [SearchValue]) {
        if let string = SearchString(text) { output.append(.string(string)) }
    }

    /// Returns the texts of a member with one or several values.
    private static func texts(_ value: JSON?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let items): items.compactMap(\.string)
        default: []
        }
    }
}
