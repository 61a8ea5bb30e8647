import Foundation

/// A JSON number as it was written. Two numbers are equal when they are written alike: `1.0` is not `1.00`,
/// for precision is meaning in FHIR (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
public struct JSONNumber: Sendable, Hashable {
    /// The digits, sign, point and exponent as written.
    public let text: String

    /// A number from text that the JSON grammar allows; nil for anything else.
    public init?(text: String) {
        guard JSONNumber.isNumber(text.utf8) else { return nil }
        self.text = text
    }

    /// For the parser, which has checked the grammar.
    init(checked text: String) { self.text = text }

    public init(_ value: Int) { text = String(value) }
    public init(_ value: Int64) { text = String(value) }

    /// A number with the digits of a decimal, without exponent; nil for NaN.
    public init?(_ value: Decimal) {
        guard !value.isNaN else { return nil }
        self.init(text: value.description)
    }

    /// The number as an integer; nil where it has a fraction, an exponent or more than 64 bits.
    public var integer: Int? { Int(text) }

    /// The exact decimal value; nil where it has more digits than `Decimal` holds (38) or is out of its range.
    public var decimal: Decimal? {
        let digits = text.utf8.lazy.filter { $0 >= 0x30 && $0 <= 0x39 }.count
        guard digits <= 38 else { return nil }
        return Decimal(string: text, locale: nil)
    }

    /// The nearest binary value; infinite where the number is out of range.
    public var double: Double { Double(text) ?? .nan }

    /// Whether the bytes are one JSON number (RFC 8259 section 6).
    static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        func digits() -> Int {
            var count = 0
            while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
                rest = rest.dropFirst()
                count += 1
            }
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let zero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(zero && whole > 1) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let byte = rest.first, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
