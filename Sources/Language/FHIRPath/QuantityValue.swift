import FHIR
import Foundation
import UCUM

/// A number with a unit: of UCUM, or of the calendar (<https://hl7.org/fhirpath/N1/#quantity>).
public struct QuantityValue: Sendable, Hashable, CustomStringConvertible {
    public let value: FHIRPathDecimal
    /// A UCUM code, or a calendar unit in the singular.
    public let unit: String
    /// Whether the unit is a word of the calendar, such as `year`, instead of UCUM.
    public let isCalendar: Bool

    public init(_ value: FHIRPathDecimal, unit: String, isCalendar: Bool) {
        self.value = value
        self.unit = unit.isEmpty ? "1" : unit
        self.isCalendar = isCalendar
    }

    /// FHIR's Quantity; nil where it has no value. A unit that is not UCUM's compares with the same text only.
    init?(_ element: TypedElement) {
        guard let object = element.value.object, let number = object["value"]?.number,
            let value = FHIRPathDecimal(text: number.text)
        else { return nil }
        let code = object["code"]?.string
        if object["system"]?.string == "http://unitsofmeasure.org" || object["system"] == nil {
            let text = code ?? object["unit"]?.string ?? "1"
            self.init(value, unit: text, isCalendar: false)
        } else {
            self.init(value, unit: (object["system"]?.string ?? "") + "|" + (code ?? ""), isCalendar: false)
        }
    }

    /// As `toString()` writes it: `4.5 'mg'`, `3 days`.
    public var description: String { text }

    var text: String {
        isCalendar ? "\(value.text) \(unit)\(value.value == 1 ? "" : "s")" : "\(value.text) '\(unit)'"
    }

    /// The quantity in units that can be compared exactly; a calendar unit of definite length as UCUM's.
    private func measured(forEquivalence: Bool) -> UCUMQuantity? {
        var code = unit
        if isCalendar {
            guard let calendar = CalendarUnit(rawValue: unit) else { return nil }
            guard let definite = forEquivalence ? calendar.equivalentCode : calendar.definiteCode else { return nil }
            code = definite
        }
        guard let parsed = try? UCUMUnit(code) else { return nil }
        return UCUMQuantity(value: value.value, unit: parsed)
    }

    /// Less, equal or greater: -1, 0, 1; nil where the units are not comparable.
    func compare(_ other: QuantityValue, forEquivalence: Bool = false) -> Int? {
        if unit == other.unit && isCalendar == other.isCalendar {
            return value.value < other.value.value ? -1 : value.value == other.value.value ? 0 : 1
        }
        guard let left = measured(forEquivalence: forEquivalence),
            let right = other.measured(forEquivalence: forEquivalence), left.unit.isComparable(to: right.unit)
        else { return nil }
        return try? left.compare(right)
    }

    func isComparable(to other: QuantityValue) -> Bool {
        if unit == other.unit && isCalendar == other.isCalendar { return true }
        guard let left = measured(forEquivalence: false), let right = other.measured(forEquivalence: false) else {
            return false
        }
        return left.unit.isComparable(to: right.unit)
    }

    /// Equivalence rounds to the less precise of the two numbers.
    func isEquivalent(_ other: QuantityValue) -> Bool {
        if let order = compare(other, forEquivalence: true), order == 0 { return true }
        guard let left = measured(forEquivalence: true), let right = other.measured(forEquivalence: true),
            left.unit.isComparable(to: right.unit)
        else { return false }
        // Both in the unit of the coarser one, rounded to what it was written with.
        let isCoarser = significantDigits <= other.significantDigits
        let coarse = isCoarser ? self : other
        let (fine, unit) = isCoarser ? (right, left.unit) : (left, right.unit)
        guard let converted = try? fine.unit.convert(fine.value, to: unit) else { return false }
        let digits = coarse.value.scale - coarse.trailingZeros
        return FHIRPathDecimal(converted).rounded(digits).value == coarse.value.rounded(digits).value
    }

    /// Digits that count, zeros at the ends aside: `4000` has one, `4.0` two.
    private var significantDigits: Int {
        let digits = value.text.filter(\.isNumber).drop { $0 == "0" }
        return value.scale > 0 ? digits.count : digits.reversed().drop { $0 == "0" }.count
    }

    private var trailingZeros: Int {
        guard value.scale == 0, value.value != 0 else { return 0 }
        return value.text.reversed().prefix { $0 == "0" }.count
    }

    /// The quantity in the other's unit.
    func converted(to other: QuantityValue) -> QuantityValue? {
        if unit == other.unit && isCalendar == other.isCalendar { return self }
        guard let left = measured(forEquivalence: false), let right = other.measured(forEquivalence: false),
            left.unit.isComparable(to: right.unit), let value = try? left.unit.convert(value.value, to: right.unit)
        else { return nil }
        return QuantityValue(FHIRPathDecimal(value), unit: other.unit, isCalendar: other.isCalendar)
    }

    func multiplied(by other: QuantityValue) -> QuantityValue? {
        combined(other) {
            try $0.multiplied(by: $1)
        } plain: {
            $0 * $1
        }
    }

    func divided(by other: QuantityValue) -> QuantityValue? {
        guard other.value.value != 0 else { return nil }
        return combined(other) {
            try $0.divided(by: $1)
        } plain: {
            $0 / $1
        }
    }

    private func combined(
        _ other: QuantityValue, _ measured: (UCUMQuantity, UCUMQuantity) throws -> UCUMQuantity,
        plain: (Decimal, Decimal) -> Decimal
    ) -> QuantityValue? {
        if other.unit == "1" {
            let result = plain(value.value, other.value.value)
            return QuantityValue(FHIRPathDecimal(result), unit: unit, isCalendar: isCalendar)
        }
        guard let left = self.measured(forEquivalence: false), let right = other.measured(forEquivalence: false),
            let result = try? measured(left, right)
        else { return nil }
        return QuantityValue(FHIRPathDecimal(result.value), unit: result.unit.code, isCalendar: false)
    }

    /// As FHIR's Quantity.
    var json: JSON {
        var object = JSONObject()
        object["value"] = JSONNumber(text: value.text).map(JSON.number)
        if isCalendar {
            object["unit"] = .string(unit)
        } else {
            object["system"] = "http://unitsofmeasure.org"
            object["code"] = .string(unit)
        }
        return .object(object)
    }
}
