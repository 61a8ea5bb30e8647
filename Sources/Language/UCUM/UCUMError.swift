import Core

/// A fault of a unit's code, or the reason why a value cannot be converted.
public struct UCUMError: CodedError, Hashable {
    /// The kind of error, stable across versions: `empty`, `too-long`, `too-deep`, `too-large`, `unexpected-character`,
    /// `unknown-unit`, `not-metric`, `missing-unit`, `missing-operator`, `unclosed-parenthesis`,
    /// `unexpected-parenthesis`, `unclosed-bracket`, `unclosed-annotation`, `invalid-annotation`, `invalid-exponent`,
    /// `invalid-factor`, `not-comparable`, `special-unit`, `not-a-number`, `out-of-range`.
    public let code: String
    /// The place in the unit's text: how many bytes of its UTF-8 form stand before it. Nil where no place is to blame.
    public let offset: Int?
    /// A sentence that says what is wrong and what to do.
    public let message: String

    /// Makes an error of a code, a place and a sentence.
    public init(code: String, offset: Int?, message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    public var description: String {
        offset.map { "\(message) (at byte \($0))" } ?? message
    }
}

/// The bounds that keep a hostile expression from costing time or memory.
enum UCUMLimit {
    /// Bytes of a unit's text.
    static let length = 1_000
    /// Parentheses within parentheses.
    static let depth = 32
    /// The greatest exponent, and the least when negative.
    static let exponent = 999
    /// Digits of an integer factor: what 64 bits surely hold.
    static let factorDigits = 18
}
