import FHIR
import Foundation

/// Replaces zero bytes in texts. JSON permits a zero byte in a text, a text column of a database does not. Loaded data
/// has U+FFFD instead; the record keeps the original text.
enum StorableText {
    static func resource(_ resource: Resource) -> Resource {
        hasZero(resource.json) ? Resource(cleaned(resource.object)) : resource
    }

    /// Returns the resource without zero bytes. The bytes that it was parsed from allow a quick check.
    static func resource(_ resource: Resource, of content: Data) -> Resource {
        mayHaveZero(content) ? Self.resource(resource) : resource
    }

    /// Whether a text of the JSON may contain a zero byte, which is written with an escape.
    private static func mayHaveZero(_ content: Data) -> Bool {
        content.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
                rest = rest[(escape + 1)...]
                if rest.starts(with: escapedZero) { return true }
            }
            return false
        }
    }

    /// The characters after the backslash.
    private static let escapedZero = Array("u0000".utf8)

    static func questionnaire(_ questionnaire: Questionnaire) -> Questionnaire {
        hasZero(questionnaire.json) ? Questionnaire(cleaned(questionnaire.object)) : questionnaire
    }

    private static func hasZero(_ json: JSON) -> Bool {
        switch json {
        case .string(let text): hasZero(text)
        case .array(let elements): elements.contains { hasZero($0) }
        case .object(let object): object.members.contains { hasZero($0.key) || hasZero($0.value) }
        case .null, .bool, .number: false
        }
    }

    private static func hasZero(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? text.utf8.contains(0)
    }

    private static func cleaned(_ object: JSONObject) -> JSONObject {
        JSONObject(
            keepingFirst: object.members.map { JSONObject.Member(key: text($0.key), value: cleaned($0.value)) })
    }

    private static func cleaned(_ json: JSON) -> JSON {
        switch json {
        case .string(let string): .string(text(string))
        case .array(let elements): .array(elements.map { cleaned($0) })
        case .object(let object): .object(cleaned(object))
        case .null, .bool, .number: json
        }
    }

    private static func text(_ string: String) -> String {
        String(String.UnicodeScalarView(string.unicodeScalars.map { $0 == "\u{0}" ? "\u{FFFD}" : $0 }))
    }
}
