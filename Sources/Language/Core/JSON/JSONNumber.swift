import Foundation

/// A JSON number as it was written. Two numbers are equal if their texts are equal: `1.0` is not `1.00`, because
/// precision has a meaning in FHIR (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
public struct JSONNumber: Sendable, Hashable {
    /// The digits, sign, point and exponent as written.
    public let text: String

    /// Creates a number from a text of JSON's grammar; nil for anything else.
    public init?(text: String) {
        guard JSONNumber.isNumber(text) else { return nil }
        self.text = text
    }

    /// Creates a number from a text whose grammar the parser has checked.
    init(checked text: String) { self.text = text }

    /// Creates the number of an integer.
    public init(_ value: Int) { text = String(value) }
    /// Creates the number of a 64-bit integer.
    public init(_ value: Int64) { text = String(value) }

    /// Creates a number with the digits of a decimal, without exponent; nil for NaN.
    public init?(_ value: Decimal) {
        guard !value.isNaN else { return nil }
        self.init(text: value.description)
    }

    /// The number as an integer; nil if it has a fraction or an exponent, or does not fit 64 bits.
    public var integer: Int? { Int(text) }

    /// The exact decimal value; nil if it has more digits than `Decimal` holds (38) or is out of its range.
    public var decimal: Decimal? {
        let digits = text.utf8.lazy.filter { $0 >= 0x30 && $0 <= 0x39 }.count
        guard digits <= 38 else { return nil }
        return Decimal(string: text, locale: nil)
    }

    /// The number of decimal places in the written form: `1.50` has two, `1.5e-3` four.
    package var decimalPlaces: Int {
        let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
        let fraction = parts.first?.split(separator: ".").dropFirst().first?.count ?? 0
        let exponent = parts.dropFirst().first.flatMap { Int($0) } ?? 0
        let (count, overflow) = fraction.subtractingReportingOverflow(exponent)
        return overflow ? .max : max(0, count)
    }

    /// The nearest binary value; infinite if the number is out of range.
    public var double: Double {
        var text = text
        return text.withUTF8(Self.double) ?? Double(text) ?? .nan
    }

    /// Returns the value of a short number without exponent, as nearly all numbers are; nil for all others. The
    /// quotient of an integer and a power of ten that are both exact in binary is correctly rounded.
    private static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        guard bytes.count <= 16 else { return nil }
        var digits: Int64 = 0
        var fractionDigits = -1
        var isNegative = false
        for index in bytes.indices {
            switch bytes[index] {
            case 0x30...0x39:
                digits = digits * 10 + Int64(bytes[index] - 0x30)
                if fractionDigits >= 0 { fractionDigits += 1 }
            case UInt8(ascii: "."): fractionDigits = 0
            case UInt8(ascii: "-"): isNegative = true
            default: return nil
            }
        }
        guard digits < 1 << 53 else { return nil }
        let value = Double(digits) / ExactPowers.ofTen[max(0, fractionDigits)]
        return isNegative ? -value : value
    }

    /// Whether the text is one JSON number (RFC 8259 section 6).
    static func isNumber(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isNumber($0) }
    }

    /// Whether the bytes are one JSON number (RFC 8259 section 6).
    static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        func byte() -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        func digits() -> Int {
            let start = index
            while (0x30...0x39).contains(byte()) { index += 1 }
            return index - start
        }
        if byte() == UInt8(ascii: "-") { index += 1 }
        let zero = byte() == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(zero && whole > 1) else { return false }
        if byte() == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { return false }
        }
        if byte() | 0x20 == UInt8(ascii: "e") {
            index += 1
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { return false }
        }
        return index == bytes.count
    }
}
