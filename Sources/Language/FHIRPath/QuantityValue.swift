import FHIR
import Foundation
import UCUM

/// A number with a unit of UCUM or of the calendar (<https://hl7.org/fhirpath/N1/#quantity>).
public struct QuantityValue: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let value: FHIRPathDecimal
    /// A UCUM code, or a calendar unit in the singular.
    public let unit: String
    /// Whether the unit is a calendar unit, such as `year`, instead of a UCUM code.
    public let isCalendar: Bool
    /// Whether the value is a Quantity of FHIR. Its UCUM units of time are used as calendar units in operations with
    /// these (<https://hl7.org/fhir/R4/fhirpath.html#quantity>).
    private let isElement: Bool

    /// Creates a quantity; an empty unit is `1`.
    public init(_ value: FHIRPathDecimal, unit: String, isCalendar: Bool) {
        self.init(value, unit: unit, isCalendar: isCalendar, isElement: false)
    }

    private init(_ value: FHIRPathDecimal, unit: String, isCalendar: Bool, isElement: Bool) {
        self.isElement = isElement
        self.value = value
        self.unit = unit.isEmpty ? "1" : unit
        self.isCalendar = isCalendar
    }

    /// Reads FHIR's Quantity; nil if it has no value. A unit outside of UCUM is only comparable with an equal one.
    init?(_ element: TypedElement) {
        guard let object = element.value.object, let number = object["value"]?.number,
            let value = FHIRPathDecimal(text: number.text)
        else { return nil }
        let code = object["code"]?.string
        if object["system"]?.string == "http://unitsofmeasure.org" || object["system"] == nil {
            let text = code ?? object["unit"]?.string ?? "1"
            self.init(value, unit: text, isCalendar: false, isElement: true)
        } else {
            self.init(
                value, unit: (object["system"]?.string ?? "") + "|" + (code ?? ""), isCalendar: false)
        }
    }

    /// The text that `toString()` returns: `4.5 'mg'`, `3 days`.
    public var description: String { text }

    var text: String {
        isCalendar ? "\(value.text) \(unit)\(value.value == 1 ? "" : "s")" : "\(value.text) '\(unit)'"
    }

    /// Returns the quantity in UCUM units. A calendar unit becomes the equal unit of definite length or, for
    /// equivalence, the equivalent unit.
    private func measured(forEquivalence: Bool) -> UCUMQuantity? {
        var code = unit
        if let calendar {
            guard let definite = forEquivalence ? calendar.equivalentCode : calendar.definiteCode else {
                return nil
            }
            code = definite
        }
        guard let parsed = try? UCUMUnit(code) else { return nil }
        return UCUMQuantity(value: value.value, unit: parsed)
    }

    /// Returns both quantities. A Quantity of FHIR is converted to a calendar duration if the other one is a calendar
    /// duration.
    private func matched(_ other: QuantityValue) -> (QuantityValue, QuantityValue) {
        guard isCalendar != other.isCalendar else { return (self, other) }
        return (inCalendar ?? self, other.inCalendar ?? other)
    }

    /// A Quantity of FHIR with a unit of time, as a calendar duration.
    var inCalendar: QuantityValue? {
        guard isElement, !isCalendar, let unit = CalendarUnit(equivalentCode: unit) else { return nil }
        return QuantityValue(value, unit: unit.rawValue, isCalendar: true)
    }

    /// The calendar unit; nil for a UCUM unit.
    var calendar: CalendarUnit? { isCalendar ? CalendarUnit(rawValue: unit) : nil }

    /// Whether the comparison is between a calendar unit and a UCUM unit of years or months, which are equivalent but
    /// not equal (<https://hl7.org/fhirpath/N1/#time-valued-quantities>).
    private func isLikeOnly(_ other: QuantityValue) -> Bool {
        guard isCalendar != other.isCalendar else { return false }
        return [self, other].contains {
            $0.isCalendar ? $0.calendar?.definiteCode == nil : $0.unit == "a" || $0.unit == "mo"
        }
    }

    /// Compares two quantities. Returns -1, 0 or 1; nil if the units are not comparable.
    func compare(_ other: QuantityValue, forEquivalence: Bool = false) -> Int? {
        let (left, right) = matched(other)
        return left.compareMatched(right, forEquivalence)
    }

    private func compareMatched(_ other: QuantityValue, _ forEquivalence: Bool) -> Int? {
        if unit == other.unit && isCalendar == other.isCalendar {
            return value.compare(other.value)
        }
        if let first = calendar, let second = other.calendar {
            let (left, right) = CalendarUnit.ratio(first, second)
            let (a, b) = (value.value * left, other.value.value * right)
            return a < b ? -1 : a == b ? 0 : 1
        }
        if !forEquivalence && isLikeOnly(other) { return nil }
        guard let left = measured(forEquivalence: forEquivalence),
            let right = other.measured(forEquivalence: forEquivalence),
            left.unit.isComparable(to: right.unit)
        else { return nil }
        return try? left.compare(right)
    }

    func isComparable(to other: QuantityValue) -> Bool {
        let (left, right) = matched(other)
        return left.isComparableMatched(right)
    }

    private func isComparableMatched(_ other: QuantityValue) -> Bool {
        if unit == other.unit && isCalendar == other.isCalendar || isCalendar && other.isCalendar {
            return true
        }
        guard !isLikeOnly(other), let left = measured(forEquivalence: false),
            let right = other.measured(forEquivalence: false)
        else { return false }
        return left.unit.isComparable(to: right.unit)
    }

    /// Returns whether both are equivalent, rounded to the less precise of the two numbers.
    func isEquivalent(_ other: QuantityValue) -> Bool {
        if let order = compare(other, forEquivalence: true), order == 0 { return true }
        // Compares both in the unit of the less precise one, rounded to its precision.
        let isCoarser = significantDigits <= other.significantDigits
        let (coarse, fine) = isCoarser ? (self, other) : (other, self)
        guard let converted = fine.expressed(inUnitOf: coarse) else { return false }
        let digits = coarse.value.scale - coarse.trailingZeros
        return FHIRPathDecimal(converted).rounded(digits).value == coarse.value.rounded(digits).value
    }

    /// Returns the number in another unit; calendar units and UCUM units are converted into each other.
    private func expressed(inUnitOf other: QuantityValue) -> Decimal? {
        if let from = calendar, let to = other.calendar {
            return CalendarUnit.convert(value.value, from: from, to: to)
        }
        guard let left = measured(forEquivalence: true),
            let right = other.measured(forEquivalence: true),
            left.unit.isComparable(to: right.unit)
        else { return nil }
        return try? left.unit.convert(value.value, to: right.unit)
    }

    /// Number of significant digits, without zeros at the ends: `4000` has one, `4.0` two.
    private var significantDigits: Int {
        let digits = value.text.filter(\.isNumber).drop { $0 == "0" }
        return value.scale > 0 ? digits.count : digits.reversed().drop { $0 == "0" }.count
    }

    private var trailingZeros: Int {
        guard value.scale == 0, value.value != 0 else { return 0 }
        return value.text.reversed().prefix { $0 == "0" }.count
    }

    /// Returns the quantity in the unit of another, for addition; nil if years or months would have to be converted,
    /// which requires an explicit conversion.
    func converted(to other: QuantityValue) -> QuantityValue? {
        if unit == other.unit && isCalendar == other.isCalendar { return self }
        if let from = calendar, let to = other.calendar {
            guard from.definiteCode != nil, to.definiteCode != nil else { return nil }
            return FHIRPathDecimal(result: CalendarUnit.convert(value.value, from: from, to: to)).map {
                QuantityValue($0, unit: other.unit, isCalendar: true)
            }
        }
        guard !isLikeOnly(other), let left = measured(forEquivalence: false),
            let right = other.measured(forEquivalence: false), left.unit.isComparable(to: right.unit),
            let value = try? left.unit.convert(value.value, to: right.unit)
        else { return nil }
        return FHIRPathDecimal(result: value).map {
            QuantityValue($0, unit: other.unit, isCalendar: other.isCalendar)
        }
    }

    /// Returns the quantity in a requested unit. A number without unit gets the unit, and a calendar duration is
    /// converted by calendar rules before it becomes a UCUM quantity.
    func converted(toUnit text: String) -> QuantityValue? {
        let wanted = CalendarUnit(word: text)
        let target = wanted?.rawValue ?? text
        if unit == "1" && !isCalendar {
            return QuantityValue(value, unit: target, isCalendar: wanted != nil)
        }
        let result: Decimal?
        if let from = calendar, let to = wanted ?? CalendarUnit(equivalentCode: text) {
            result = CalendarUnit.convert(value.value, from: from, to: to)
        } else {
            result = expressed(inUnitOf: QuantityValue(value, unit: target, isCalendar: wanted != nil))
        }
        return result.flatMap { FHIRPathDecimal(result: $0) }.map {
            QuantityValue($0, unit: target, isCalendar: wanted != nil)
        }
    }

    /// Returns the product; nil if a unit is a calendar unit, special or unknown.
    func multiplied(by other: QuantityValue) -> QuantityValue? { combined(other, isDivision: false) }

    /// Returns the quotient; nil if the divisor is zero, or if a unit is a calendar unit, special or unknown.
    func divided(by other: QuantityValue) -> QuantityValue? {
        other.value.value == 0 ? nil : combined(other, isDivision: true)
    }

    private func combined(_ other: QuantityValue, isDivision: Bool) -> QuantityValue? {
        func plain() -> FHIRPathDecimal? {
            let result = isDivision ? value.value / other.value.value : value.value * other.value.value
            return FHIRPathDecimal(result: result)
        }
        if other.unit == "1" && !other.isCalendar {
            return plain().map { QuantityValue($0, unit: unit, isCalendar: isCalendar) }
        }
        if unit == "1" && !isCalendar && !isDivision {
            return plain().map { QuantityValue($0, unit: other.unit, isCalendar: other.isCalendar) }
        }
        guard !isCalendar, !other.isCalendar, let left = measured(forEquivalence: false),
            let right = other.measured(forEquivalence: false),
            let result = isDivision ? try? left.divided(by: right) : try? left.multiplied(by: right)
        else { return nil }
        let code = UnitTerms.combined(unit, other.unit, isDivision: isDivision) ?? result.unit.code
        return FHIRPathDecimal(result: result.value).map { QuantityValue($0, unit: code, isCalendar: false) }
    }

    /// The quantity as FHIR's Quantity.
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
