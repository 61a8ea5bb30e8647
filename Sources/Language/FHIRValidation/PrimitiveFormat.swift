import FHIR
import Foundation

/// The formats of primitive values (<https://hl7.org/fhir/R4/datatypes.html#primitive>).
enum PrimitiveFormat {
    /// The format of a primitive type in JSON.
    enum Rule: UInt8, Sendable {
        case boolean, integer, unsignedInt, positiveInt, decimal
        case string, markdown, code, id, uri, url, canonical, oid, uuid, base64Binary
        case date, dateTime, instant, time, xhtml

        init?(type: String) {
            switch type {
            case "boolean": self = .boolean
            case "integer": self = .integer
            case "unsignedInt": self = .unsignedInt
            case "positiveInt": self = .positiveInt
            case "decimal": self = .decimal
            case "string": self = .string
            case "markdown": self = .markdown
            case "code": self = .code
            case "id": self = .id
            case "uri": self = .uri
            case "url": self = .url
            case "canonical": self = .canonical
            case "oid": self = .oid
            case "uuid": self = .uuid
            case "base64Binary": self = .base64Binary
            case "date": self = .date
            case "dateTime": self = .dateTime
            case "instant": self = .instant
            case "time": self = .time
            case "xhtml": self = .xhtml
            default: return nil
            }
        }

        /// Description of its JSON form.
        var shape: String {
            switch self {
            case .boolean: "true or false, without quotes"
            case .integer, .unsignedInt, .positiveInt, .decimal: "a number without quotes"
            default: "text in quotes"
            }
        }
    }

    /// A fault of a value.
    enum Problem: Equatable {
        /// The value does not have the JSON form of the type.
        case shape
        /// The value has the right JSON form, but violates the type's format, as described by the sentence.
        case format(String)
        case tooLong
        case blank
    }

    /// Maximum length of a text in characters (FHIR: 1 MB).
    static let maximumLength = 1024 * 1024

    /// Maximum length of a number in characters. FHIR requires systems to support 18 digits.
    static let maximumDigits = 64

    static func problem(_ value: JSON, _ rule: Rule) -> Problem? {
        switch (rule, value) {
        case (.boolean, .bool): nil
        case (.decimal, .number(let number)):
            number.text.utf8.count <= maximumDigits
                ? nil
                : .format("a number of up to \(maximumDigits) characters, more than any system can calculate with")
        case (.integer, .number(let number)): integer(number, minimum: -2_147_483_648, range: "")
        case (.unsignedInt, .number(let number)): integer(number, minimum: 0, range: " not below 0")
        case (.positiveInt, .number(let number)): integer(number, minimum: 1, range: " of at least 1")
        case (.boolean, _), (.decimal, _), (.integer, _), (.unsignedInt, _), (.positiveInt, _): .shape
        case (_, .string(let text)): self.text(text, rule)
        default: .shape
        }
    }

    private static func integer(_ number: JSONNumber, minimum: Int, range: String) -> Problem? {
        guard let value = number.integer, value >= minimum, value <= 2_147_483_647, number.text != "-0" else {
            return .format("a whole number\(range) that fits 32 bits, without fraction and exponent")
        }
        return nil
    }

    private static func text(_ text: String, _ rule: Rule) -> Problem? {
        if text.utf8.isEmpty { return .blank }
        switch rule {
        case .string, .markdown:
            return characters(text)
        case .code:
            return isCode(text) ? nil : .format("a code has no space at its ends and single spaces inside")
        case .id:
            return Resource.isID(text) ? nil : .format("an id has 1 to 64 letters, digits, '-' and '.'")
        case .uri, .url, .canonical:
            return hasNoSpace(text) ? nil : .format("a URI has no spaces")
        case .oid:
            return isOID(text) ? nil : .format("an OID is written urn:oid:1.2.3")
        case .uuid:
            return isUUID(text) ? nil : .format("a UUID is written urn:uuid: and 36 characters in lower case")
        case .base64Binary:
            return isBase64(text) ? nil : .format("base64 has groups of four characters, with = at the end only")
        case .date:
            guard let date = DateTime(text), date.precision <= .day else {
                return .format("a date that exists is written YYYY, YYYY-MM or YYYY-MM-DD")
            }
            return nil
        case .dateTime:
            return isDateTime(text)
                ? nil : .format("a date is written YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm")
        case .instant:
            return text.utf8.contains(UInt8(ascii: "T")) && isDateTime(text)
                ? nil : .format("an instant is written YYYY-MM-DDThh:mm:ss.sss+hh:mm")
        case .time:
            return TimeOfDay(leapSecondless(text)) != nil ? nil : .format("a time is written hh:mm:ss, without a zone")
        case .xhtml, .boolean, .integer, .unsignedInt, .positiveInt, .decimal:
            return nil
        }
    }

    /// Checks that a text has no control characters other than tab, line feed and carriage return, and that it is not
    /// blank. XML could not represent it otherwise.
    private static func characters(_ text: String) -> Problem? {
        text.utf8.withContiguousStorageIfAvailable(characters) ?? characters(Array(text.utf8))
    }

    private static func characters(_ text: some Collection<UInt8>) -> Problem? {
        var isBlank = true
        var count = 0
        for byte in text {
            if byte < 0x20, byte != 9, byte != 10, byte != 13 {
                return .format("text has no control characters except tab, line feed and carriage return")
            }
            if byte > 0x20 { isBlank = false }
            if byte & 0xC0 != 0x80 { count += 1 }
        }
        if isBlank { return .blank }
        return count > maximumLength ? .tooLong : nil
    }

    /// Whether the text matches R4's regular expression: no white space at the ends and no two spaces in sequence.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isCode) ?? isCode(Array(text.utf8))
    }

    private static func isCode(_ text: some Collection<UInt8>) -> Bool {
        var wasSpace = true
        for byte in text {
            let isSpace = byte == 0x20 || (9...13).contains(byte)
            if isSpace && wasSpace { return false }
            wasSpace = isSpace
        }
        return !wasSpace
    }

    private static func hasNoSpace(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(hasNoSpace) ?? hasNoSpace(Array(text.utf8))
    }

    private static func hasNoSpace(_ text: some Collection<UInt8>) -> Bool {
        !text.contains { $0 <= 0x20 || $0 == 0x7F }
    }

    private static func isOID(_ text: String) -> Bool {
        guard text.hasPrefix("urn:oid:") else { return false }
        let arcs = text.dropFirst(8).split(separator: ".", omittingEmptySubsequences: false)
        guard arcs.count >= 2, let first = arcs.first, ["0", "1", "2"].contains(first) else { return false }
        return arcs.allSatisfy { arc in
            !arc.isEmpty && arc.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && (arc == "0" || !arc.hasPrefix("0"))
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        guard text.hasPrefix("urn:uuid:") else { return false }
        let bytes = Array(text.utf8.dropFirst(9))
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                if byte != UInt8(ascii: "-") { return false }
            } else if !((0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)) {
                return false
            }
        }
        return true
    }

    private static func isBase64(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isBase64) ?? isBase64(Array(text.utf8))
    }

    private static func isBase64(_ text: some Collection<UInt8>) -> Bool {
        var count = 0
        var padding = 0
        for byte in text {
            switch byte {
            case 9, 10, 13, 0x20: continue
            case UInt8(ascii: "="): padding += 1
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"):
                if padding > 0 { return false }
            default: return false
            }
            count += 1
        }
        return count > 0 && count % 4 == 0 && padding <= 2
    }

    private static func isDateTime(_ text: String) -> Bool {
        if DateTime(text) != nil { return true }
        let plain = leapSecondless(text)
        return plain != text && DateTime(plain) != nil
    }

    /// Replaces second 60, which FHIR's grammar allows, by 59 for the calendar.
    private static func leapSecondless(_ text: String) -> String {
        guard let range = text.range(of: ":60") else { return text }
        let tail = text[range.upperBound...]
        guard tail.isEmpty || tail.first == "." || tail.first == "Z" || tail.first == "+" || tail.first == "-" else {
            return text
        }
        return text.replacingCharacters(in: range, with: ":59")
    }
}
