/// Why a text is not the JSON that is asked for, with its place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; the raw value is the stable code.
    public enum Code: String, Sendable {
        case unexpectedEnd = "json-unexpected-end"
        case unexpectedCharacter = "json-unexpected-character"
        case trailingComma = "json-trailing-comma"
        case duplicateKey = "json-duplicate-key"
        case textAfterEnd = "json-text-after-end"
        case invalidNumber = "json-invalid-number"
        case invalidString = "json-invalid-string"
        case invalidUTF8 = "json-invalid-utf8"
        case tooDeep = "json-too-deep"
        case notAnObject = "json-not-an-object"
    }

    public let code: Code

    /// Bytes before the place, counted from 0 (a byte order mark included).
    public let offset: Int

    /// The line, counted from 1.
    public let line: Int

    /// The column in bytes, counted from 1.
    public let column: Int

    /// A sentence that says what to mend. It quotes nothing of the document.
    public var message: String {
        let what =
            switch code {
            case .unexpectedEnd: "The text ends in the middle of a value"
            case .unexpectedCharacter: "A character stands where JSON does not allow it"
            case .trailingComma: "A comma stands before a closing bracket; remove it or read leniently"
            case .duplicateKey: "The same name stands twice in one object"
            case .textAfterEnd: "There is more text after the end of the value"
            case .invalidNumber: "A number is not written as JSON asks"
            case .invalidString: "A string has a control character, an unknown escape or half a surrogate pair"
            case .invalidUTF8: "The text is not UTF-8"
            case .tooDeep: "Arrays and objects are nested deeper than \(JSONParser.maximumDepth) levels"
            case .notAnObject: "A JSON object is expected here"
            }
        return "\(what) (line \(line), column \(column))."
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
