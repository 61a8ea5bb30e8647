import Core

/// An error in a text that is no unit of HealthKit, or none that is read. It never repeats the text, which is foreign.
public struct HealthKitUnitError: CodedError, Hashable {
    /// The kind of error, stable across versions: `too-long`, `too-deep`, `too-large`, `unexpected-character`,
    /// `unknown-unit`, `prefix-not-allowed`, `missing-unit`, `missing-operator`, `second-division`,
    /// `nested-division`, `repeated-exponent`, `invalid-exponent`, `invalid-molar-mass`, `unclosed-parenthesis`,
    /// `unexpected-parenthesis`.
    public let code: String
    /// How many bytes of the text's UTF-8 form stand before the fault; 0 where the whole is to blame.
    public let offset: Int
    /// A sentence that says what is wrong and what to do.
    public let message: String

    public var description: String { "\(message) (at byte \(offset))" }

    static let tooLong = HealthKitUnitError(
        code: "too-long", offset: 0,
        message: "A unit has at most \(HealthKitUnitLimit.length) bytes.")
}

/// The bounds that keep a hostile unit string from costing time or memory.
enum HealthKitUnitLimit {
    /// Bytes of a unit string.
    static let length = 256
    /// Parentheses within parentheses.
    static let depth = 32
    /// The exponents of all factors together, without their signs.
    static let exponent = 100
    /// Digits of a molar mass, the decimal point included.
    static let molarMass = 40
}
