/// Reason why a text is not the expected JSON, with its offset, line and column.
public struct JSONError: CodedError, Hashable {
    /// Kind of fault; the raw value is the stable code.
    public enum Reason: String, Sendable {
        /// The text ends in the middle of a value.
        case unexpectedEnd = "json-unexpected-end"
        /// A character is not allowed at its position.
        case unexpectedCharacter = "json-unexpected-character"
        /// A comma precedes a closing bracket.
        case trailingComma = "json-trailing-comma"
        /// One object has two members of the same name.
        case duplicateKey = "json-duplicate-key"
        /// More text follows the end of the value.
        case textAfterEnd = "json-text-after-end"
        /// A number does not follow JSON's grammar.
        case invalidNumber = "json-invalid-number"
        /// A string has a control character, an unknown escape or half a surrogate pair.
        case invalidString = "json-invalid-string"
        /// The bytes are not UTF-8.
        case invalidUTF8 = "json-invalid-utf8"
        /// Arrays and objects are nested too deeply.
        case tooDeep = "json-too-deep"
        /// The value is not an object, but an object is expected.
        case notAnObject = "json-not-an-object"
    }

    /// The kind of fault.
    public let reason: Reason

    /// Number of bytes before the fault (a byte order mark included).
    public let offset: Int

    /// The line, counted from 1.
    public let line: Int

    /// The column in bytes, counted from 1.
    public let column: Int

    /// A sentence that describes the fault. It quotes nothing of the document.
    public var message: String {
        let what =
            switch reason {
            case .unexpectedEnd: "The text ends in the middle of a value"
            case .unexpectedCharacter: "A character is not allowed at this position"
            case .trailingComma: "A comma precedes a closing bracket; remove it or read leniently"
            case .duplicateKey: "An object has two members of the same name"
            case .textAfterEnd: "There is more text after the end of the value"
            case .invalidNumber: "A number does not follow JSON's grammar"
            case .invalidString: "A string has a control character, an unknown escape or half a surrogate pair"
            case .invalidUTF8: "The text is not UTF-8"
            case .tooDeep: "Arrays and objects are nested deeper than \(JSON.maximumDepth) levels"
            case .notAnObject: "A JSON object is expected here"
            }
        return "\(what) (line \(line), column \(column))."
    }

    /// The stable code, such as `json-duplicate-key`.
    public var code: String { reason.rawValue }
}
