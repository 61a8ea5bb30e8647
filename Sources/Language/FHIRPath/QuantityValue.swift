import FHIR
import Foundation
import UCUM

/// A number with a unit: of UCUM, or of the calendar (<https://hl7.org/fhirpath/N1/#quantity>).
public struct QuantityValue: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let value: FHIRPathDecimal
    /// A UCUM code, or a calendar unit in the singular.
    public let unit: String
    /// Whether the unit is a word of the calendar, such as `year`, instead of UCUM.
    public let isCalendar: Bool
    /// Whether this is a Quantity of FHIR, whose UCUM units of time stand for those of the calendar where they meet them
    /// (<https://hl7.org/fhir/R4/fhirpath.html#quantity>).
    private let isElement: Bool

    /// Makes a quantity; an empty unit is `1`.
    public init(_ value: FHIRPathDecimal, unit: String, isCalendar: Bool) {
        self.init(value, unit: unit, isCalendar: isCalendar, isElement: false)
    }

    private init(_ value: FHIRPathDecimal, unit: String, isCalendar: Bool, isElement: Bool) {
        self.isElement = isElement
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
            self.init(value, unit: text, isCalendar: false, isElement: true)
        } else {
            self.init(
                value, unit: (object["system"]?.string ?? "") + "|" + (code ?? ""), isCalendar: false)
        }
    }

    /// As `toString()` writes it: `4.5 'mg'`, `3 days`.
    public var description: String { text }

    var text: String {
        isCalendar ? "\(value.text) \(unit)\(value.value == 1 ? "" : "s")" : "\(value.text) '\(unit)'"
    }

    /// The quantity in units of UCUM; a calendar unit as the one of definite length that it equals, or for equivalence
    /// the one that it is like.
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

    /// This one and another, of which a Quantity of FHIR meets the calendar's units as one of the calendar.
    private func matched(_ other: QuantityValue) -> (QuantityValue, QuantityValue) {
        guard isCalendar != other.isCalendar else { return (self, other) }
        return (inCalendar ?? self, other.inCalendar ?? other)
    }

    /// A Quantity of FHIR with a unit of time as a duration of the calendar.
    var inCalendar: QuantityValue? {
        guard isElement, !isCalendar, let unit = CalendarUnit(equivalentCode: unit) else { return nil }
        return QuantityValue(value, unit: unit.rawValue, isCalendar: true)
    }

    /// The calendar unit; nil for a unit of UCUM.
    var calendar: CalendarUnit? { isCalendar ? CalendarUnit(rawValue: unit) : nil }

    /// Whether years or months stand between a calendar unit and one of UCUM, which are like each other and not equal
    /// (<https://hl7.org/fhirpath/N1/#time-valued-quantities>).
    private func isLikeOnly(_ other: QuantityValue) -> Bool {
        guard isCalendar != other.isCalendar else { return false }
        return [self, other].contains {
            $0.isCalendar ? $0.calendar?.definiteCode == nil : $0.unit == "a" || $0.unit == "mo"
        }
    }

    /// Less, equal or greater: -1, 0, 1; nil where the units are not comparable.
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

    /// Equivalence rounds to the less precise of the two numbers.
    func isEquivalent(_ other: QuantityValue) -> Bool {
        if let order = compare(other, forEquivalence: true), order == 0 { return true }
        // Both in the unit of the coarser one, rounded to what it was written with.
        let isCoarser = significantDigits <= other.significantDigits
        let (coarse, fine) = isCoarser ? (self, other) : (other, self)
        guard let converted = fine.expressed(inUnitOf: coarse) else { return false }
        let digits = coarse.value.scale - coarse.trailingZeros
        return FHIRPathDecimal(converted).rounded(digits).value == coarse.value.rounded(digits).value
    }

    /// The number in another unit, calendar units and UCUM's taken for each other.
    private func expressed(inUnitOf other: QuantityValue) -> Decimal? {
        if let from = calendar, let to = other.calendar {
            return CalendarUnit.convert(value.value, from, to)
        }
        guard let left = measured(forEquivalence: true),
            let right = other.measured(forEquivalence: true),
            left.unit.isComparable(to: right.unit)
        else { return nil }
        return try? left.unit.convert(value.value, to: right.unit)
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

    /// The quantity in the unit of another, as addition needs it: nothing where years and months would have to become
    /// another unit, since that has to be asked for.
    func converted(to other: QuantityValue) -> QuantityValue? {
        if unit == other.unit && isCalendar == other.isCalendar { return self }
        if let from = calendar, let to = other.calendar {
            guard from.definiteCode != nil, to.definiteCode != nil else { return nil }
            return QuantityValue(
                FHIRPathDecimal(CalendarUnit.convert(value.value, from, to)), unit: other.unit,
                isCalendar: true)
        }
        guard !isLikeOnly(other), let left = measured(forEquivalence: false),
            let right = other.measured(forEquivalence: false), left.unit.isComparable(to: right.unit),
            let value = try? left.unit.convert(value.value, to: right.unit)
        else { return nil }
        return QuantityValue(FHIRPathDecimal(value), unit: other.unit, isCalendar: other.isCalendar)
    }

    /// The quantity in a unit that is asked for: a number without unit takes it on, and a duration of the calendar is
    /// converted by the calendar before it becomes one of UCUM.
    func converted(toUnit text: String) -> QuantityValue? {
        let wanted = CalendarUnit(word: text)
        let target = wanted?.rawValue ?? text
        if unit == "1" && !isCalendar {
            return QuantityValue(value, unit: target, isCalendar: wanted != nil)
        }
        let result: Decimal?
        if let from = calendar, let to = wanted ?? CalendarUnit(equivalentCode: text) {
            result = CalendarUnit.convert(value.value, from, to)
        } else {
            result = expressed(inUnitOf: QuantityValue(value, unit: target, isCalendar: wanted != nil))
        }
        return result.map {
            QuantityValue(FHIRPathDecimal($0), unit: target, isCalendar: wanted != nil)
        }
    }

    /// The product; nil where a unit is of the calendar, special or unknown.
    func multiplied(by other: QuantityValue) -> QuantityValue? { combined(other, isDivision: false) }

    /// The quotient; nil where the divisor is zero, or a unit is of the calendar, special or unknown.
    func divided(by other: QuantityValue) -> QuantityValue? {
        other.value.value == 0 ? nil : combined(other, isDivision: true)
    }

    private func combined(_ other: QuantityValue, isDivision: Bool) -> QuantityValue? {
        func plain() -> FHIRPathDecimal? {
            let result = isDivision ? value.value / other.value.value : value.value * other.value.value
            return result.isNaN ? nil : FHIRPathDecimal(result)
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
        return QuantityValue(FHIRPathDecimal(result.value), unit: code, isCalendar: false)
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
