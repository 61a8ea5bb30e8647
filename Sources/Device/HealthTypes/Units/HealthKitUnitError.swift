import Core

/// An error in a text that is not a supported unit of HealthKit. It never contains the text, which comes from outside.
public struct HealthKitUnitError: CodedError, Hashable {
    /// The kind of error, stable across versions: `too-long`, `too-deep`, `too-large`, `unexpected-character`,
    /// `unknown-unit`, `prefix-not-allowed`, `missing-unit`, `missing-operator`, `second-division`,
    /// `nested-division`, `repeated-exponent`, `invalid-exponent`, `invalid-molar-mass`, `unclosed-parenthesis`,
    /// `unexpected-parenthesis`.
    public let code: String
    /// Offset of the fault in bytes of UTF-8; 0 if the whole text is wrong.
    public let offset: Int
    /// A sentence with the fault and the remedy.
    public let message: String

    public var description: String { "\(message) (at byte \(offset))" }

    static let tooLong = HealthKitUnitError(
        code: "too-long", offset: 0,
        message: "A unit has a maximum length of \(HealthKitUnitLimit.length) bytes.")
}

/// Limits that protect against unit strings that cost too much time or memory.
enum HealthKitUnitLimit {
    /// Maximum length of a unit string, in bytes.
    static let length = 256
    /// Maximum depth of nested parentheses.
    static let depth = 32
    /// Maximum sum of the exponents of all factors, without their signs.
    static let exponent = 100
    /// Maximum number of digits of a molar mass, including the decimal point.
    static let molarMass = 40
}
