import FHIR
import Foundation

/// A value as it was written, and the same value in the measure's unit.
public struct HealthQuantity: Sendable, Hashable {
    /// The digits of the source.
    public let written: String
    /// The unit of the source; a unit that the measure accepts.
    public let unit: SourceUnit
    /// The value in the measure's unit. The digits are unchanged if the units differ only by a power of ten.
    public let number: JSONNumber
    /// The repairs that were made to read the value.
    public let repairs: Repairs

    /// Converts a value to the unit of a measure.
    ///
    /// - Throws: the ``SkipReason`` if the text is not a number, out of range, or in an unknown unit.
    public init(_ text: String, unit: String, as measure: HealthMeasure) throws(SkipReason) {
        guard let unit = measure.sourceUnit(named: unit) else { throw .unknownUnit }
        try self.init(text, in: unit)
    }

    /// Converts a value in a unit that was looked up before.
    public init(_ text: String, in source: SourceUnit) throws(SkipReason) {
        let (given, isRepaired) = try NumberText.read(text)
        var repairs: Repairs = isRepaired ? [.numberSyntax] : []
        let number: JSONNumber?
        switch source.scale {
        case .same: number = given
        case .power(let exponent): number = Self.powerOfTen(given.text, exponent)
        case .fraction:
            // HealthKit's percent is a fraction. Apps that write 96 mean 96 %, because a fraction does not exceed 1.
            if abs(given.double) > 1 {
                repairs.insert(.percentAlreadyScaled)
                number = given
            } else {
                number = Self.powerOfTen(given.text, 2)
            }
        case .linear(let conversion): number = conversion.convert(given.text).flatMap(JSONNumber.init(text:))
        }
        guard let number else { throw .valueOutOfRange }
        written = given.text
        unit = source
        self.number = number
        self.repairs = repairs
    }

    /// The name of the unit in the source.
    public var writtenUnit: String { unit.name }

    private static func powerOfTen(_ text: String, _ exponent: Int) -> JSONNumber? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) else {
            return JSONNumber(text: ExactDecimal.shift(text, by: exponent))
        }
        guard let value = Decimal(string: text, locale: nil) else { return nil }
        return JSONNumber(value * Decimal(sign: .plus, exponent: exponent, significand: 1))
    }
}

/// Parses the numbers of exports.
enum NumberText {
    /// Returns the number in JSON's grammar, and whether the text was repaired to fit it (`+5`, `.5`, `5.`, `007`).
    static func read(_ text: String) throws(SkipReason) -> (number: JSONNumber, isRepaired: Bool) {
        if let number = JSONNumber(text: text) {
            try checkRange(text)
            return (number, false)
        }
        var bytes = text.utf8[...]
        while let first = bytes.first, isBlank(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        guard !bytes.isEmpty else { throw .valueMissing }
        let trimmed = String(bytes) ?? ""
        guard let number = JSONNumber(text: trimmed) ?? repaired(trimmed).flatMap(JSONNumber.init(text:)) else {
            throw .valueNotANumber
        }
        try checkRange(number.text)
        return (number, true)
    }

    /// DEL replaces a byte that XML forbids.
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }

    /// Checks for magnitudes from 1e-18 to 1e18 and up to 38 digits. Measurements are within these limits, and
    /// `Decimal` would lose more digits.
    private static func checkRange(_ text: String) throws(SkipReason) {
        guard text.utf8.count > 15 || text.utf8.contains(where: { $0 == 0x65 || $0 == 0x45 }) else { return }
        guard text.utf8.count <= 64, let value = Double(text), value.isFinite, abs(value) < 1e18,
            text.utf8.lazy.filter({ (0x30...0x39).contains($0) }).count <= 38,
            abs(value) >= 1e-18
                || text.prefix(while: { $0 != "e" && $0 != "E" }).utf8.allSatisfy({ !(0x31...0x39).contains($0) })
        else { throw .valueOutOfRange }
    }

    private static func repaired(_ text: String) -> String? {
        var rest = text[...]
        var sign = ""
        if rest.hasPrefix("-") { sign = "-" }
        if rest.hasPrefix("-") || rest.hasPrefix("+") { rest = rest.dropFirst() }
        let exponent = rest.firstIndex { $0 == "e" || $0 == "E" } ?? rest.endIndex
        let mantissa = rest[..<exponent].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = mantissa.first, whole.allSatisfy(\.isASCII), mantissa.contains(where: { !$0.isEmpty }) else {
            return nil
        }
        let digits = whole.drop { $0 == "0" }
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        return sign + (digits.isEmpty ? "0" : String(digits)) + (fraction.isEmpty ? "" : "." + fraction)
            + rest[exponent...]
    }
}
