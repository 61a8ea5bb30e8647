import Foundation

/// Operators on numbers, quantities, dates and texts (<https://hl7.org/fhirpath/N1/#math>).
enum Arithmetic {
    /// Returns the result; nil (empty) for a division by zero and for a result that cannot be represented.
    static func apply(
        _ sign: FHIRPathOperator, left: FHIRPathValue, right: FHIRPathValue
    ) throws(FHIRPathError) -> FHIRPathValue? {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): return integers(sign, left: a, right: b, isLong: false)
        case (.long(let a), .long(let b)), (.integer(let a), .long(let b)),
            (.long(let a), .integer(let b)):
            return integers(sign, left: a, right: b, isLong: true)
        case (.decimal(let a), .decimal(let b)): return decimals(sign, left: a, right: b)
        case (.decimal(let a), .integer(let b)), (.decimal(let a), .long(let b)):
            return decimals(sign, left: a, right: FHIRPathDecimal(b))
        case (.integer(let a), .decimal(let b)), (.long(let a), .decimal(let b)):
            return decimals(sign, left: FHIRPathDecimal(a), right: b)
        case (.string(let a), .string(let b)) where sign == .add: return .string(a + b)
        case (.quantity(let a), .quantity(let b)): return try quantities(sign, left: a, right: b)
        case (.quantity(let a), .integer(let b)):
            return try quantities(sign, left: a, right: plain(FHIRPathDecimal(b)))
        case (.quantity(let a), .decimal(let b)): return try quantities(sign, left: a, right: plain(b))
        case (.integer(let a), .quantity(let b)):
            return try quantities(sign, left: plain(FHIRPathDecimal(a)), right: b)
        case (.decimal(let a), .quantity(let b)): return try quantities(sign, left: plain(a), right: b)
        case (.temporal(let a), .quantity(let b)) where sign == .add || sign == .subtract:
            return .temporal(try a.adding(b, sign: sign == .add ? 1 : -1))
        case (.temporal, .integer), (.temporal, .decimal):
            throw .semantic(
                "duration-expected", "Only a duration with a unit can be added to a date or time, as in 7 days.")
        default:
            throw .execution(
                "operator-types",
                "\(sign.rawValue) does not work on a \(left.typeName) and a \(right.typeName).")
        }
    }

    private static func plain(_ number: FHIRPathDecimal) -> QuantityValue {
        QuantityValue(number, unit: "1", isCalendar: false)
    }

    private static func integers(
        _ sign: FHIRPathOperator, left a: Int, right b: Int, isLong: Bool
    ) -> FHIRPathValue? {
        let result: (partialValue: Int, overflow: Bool)
        switch sign {
        case .add: result = a.addingReportingOverflow(b)
        case .subtract: result = a.subtractingReportingOverflow(b)
        case .multiply: result = a.multipliedReportingOverflow(by: b)
        case .div: result = b == 0 ? (0, true) : a.dividedReportingOverflow(by: b)
        case .mod: result = b == 0 ? (0, true) : a.remainderReportingOverflow(dividingBy: b)
        default:
            guard b != 0 else { return nil }
            return decimals(.divide, left: FHIRPathDecimal(a), right: FHIRPathDecimal(b))
        }
        guard !result.overflow else { return nil }
        if isLong { return .long(result.partialValue) }
        guard result.partialValue >= -2_147_483_648, result.partialValue <= 2_147_483_647 else {
            return nil
        }
        return .integer(result.partialValue)
    }

    private static func decimals(
        _ sign: FHIRPathOperator, left a: FHIRPathDecimal, right b: FHIRPathDecimal
    ) -> FHIRPathValue? {
        switch sign {
        case .add: return a.adding(b).map(FHIRPathValue.decimal)
        case .subtract: return a.adding(b.negated).map(FHIRPathValue.decimal)
        case .multiply: return made(a.value * b.value)
        case .divide: return b.value == 0 ? nil : made(a.value / b.value)
        case .div:
            guard b.value != 0 else { return nil }
            return whole(a.value / b.value)
        case .mod:
            guard b.value != 0 else { return nil }
            let quotient = FHIRPathDecimal(a.value / b.value).rounded(
                0, a.value / b.value < 0 ? .up : .down
            ).value
            return made(a.value - quotient * b.value)
        default: return nil
        }
    }

    private static func made(_ value: Decimal, scale: Int? = nil) -> FHIRPathValue? {
        FHIRPathDecimal(result: value, scale: scale).map(FHIRPathValue.decimal)
    }

    /// Truncates toward zero: to an integer if it fits, as `div` requires.
    private static func whole(_ value: Decimal) -> FHIRPathValue? {
        guard !value.isNaN else { return nil }
        let truncated = FHIRPathDecimal(value).rounded(0, value < 0 ? .up : .down)
        guard let number = truncated.whole, number >= -2_147_483_648, number <= 2_147_483_647 else {
            return .decimal(truncated)
        }
        return .integer(number)
    }

    private static func quantities(
        _ sign: FHIRPathOperator, left a: QuantityValue, right b: QuantityValue
    ) throws(FHIRPathError) -> FHIRPathValue? {
        switch sign {
        case .multiply: return a.multiplied(by: b).map(FHIRPathValue.quantity)
        case .divide: return a.divided(by: b).map(FHIRPathValue.quantity)
        case .add, .subtract:
            guard let other = b.converted(to: a) else { return nil }
            let value =
                sign == .add ? a.value.value + other.value.value : a.value.value - other.value.value
            return FHIRPathDecimal(result: value, scale: max(a.value.scale, other.value.scale)).map { sum in
                .quantity(QuantityValue(sum, unit: a.unit, isCalendar: a.isCalendar))
            }
        default:
            throw .execution("operator-types", "\(sign.rawValue) does not work on quantities.")
        }
    }
}
