import Core

/// A fault of a unit's code, or the reason why a value cannot be converted.
public struct UCUMError: CodedError, Hashable {
    /// The kind of error, stable across versions: `empty`, `too-long`, `too-deep`, `too-large`, `unexpected-character`,
    /// `unknown-unit`, `not-metric`, `missing-unit`, `missing-operator`, `unclosed-parenthesis`,
    /// `unexpected-parenthesis`, `unclosed-bracket`, `unclosed-annotation`, `invalid-annotation`, `invalid-exponent`,
    /// `invalid-factor`, `not-comparable`, `special-unit`, `not-a-number`, `out-of-range`.
    public let code: String
    /// The offset of the fault in the unit's text, in bytes of UTF-8. Nil if the fault has no offset.
    public let offset: Int?
    /// A sentence that describes the fault and its correction.
    public let message: String

    /// Creates an error.
    public init(code: String, offset: Int?, message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    public var description: String {
        offset.map { "\(message) (at byte \($0))" } ?? message
    }
}

/// Limits that keep a hostile expression from using too much time or memory.
enum UCUMLimit {
    /// Maximum length of a unit's text in bytes.
    static let length = 1_000
    /// Maximum nesting depth of parentheses.
    static let depth = 32
    /// Maximum absolute value of an exponent.
    static let exponent = 999
    /// Maximum number of digits of an integer factor; any such factor fits in 64 bits.
    static let factorDigits = 18
}
