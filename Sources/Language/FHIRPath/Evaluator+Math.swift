import FHIR
import Foundation

extension Evaluator {
    /// Evaluates the functions on numbers and on the precision of values (<https://hl7.org/fhirpath/N1/#math>).
    mutating func math(
        _ function: FHIRPathFunction, on input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        var name: String { function.rawValue + "()" }
        switch function {
        case .sum, .min, .max, .avg: return try summary(function, input)
        case .lowBoundary, .highBoundary:
            guard let value = try single(input, name) else { return .empty }
            let digits = try arguments.first.map { node throws(FHIRPathError) in
                try integer(try argument(node, scope), name)
            }
            return Boundary.of(value, isLow: function == .lowBoundary, digits: digits ?? nil).map {
                .one($0)
            } ?? .empty
        case .precision:
            guard let value = try single(input, name) else { return .empty }
            return Boundary.precision(value).map { .one(.integer($0)) } ?? .empty
        case .comparable:
            guard let value = try single(input, name),
                let other = try single(try argument(arguments[0], scope), name)
            else { return .empty }
            guard case .quantity(let a)? = Conversion.quantity(value, unit: nil, isImplicit: true),
                case .quantity(let b)? = Conversion.quantity(other, unit: nil, isImplicit: true)
            else { return .one(.boolean(false)) }
            return .one(.boolean(a.isComparable(to: b)))
        case .duration, .difference:
            guard let from = try single(input, name),
                let to = try single(try argument(arguments[0], scope), name),
                let unit = try string(try argument(arguments[1], scope), name)
            else { return .empty }
            guard case .temporal(let start) = from, case .temporal(let end) = to else {
                throw .execution("temporal-expected", "\(name) works on two dates or two times.")
            }
            return try TemporalSpan.count(from: start, to: end, unit, isDuration: function == .duration)
                .map { .one(.integer($0)) } ?? .empty
        case .yearOf, .monthOf, .dayOf, .hourOf, .minuteOf, .secondOf, .millisecondOf,
            .timezoneOffsetOf, .dateOf,
            .timeOf:
            guard let value = try single(input, name) else { return .empty }
            guard case .temporal(let time) = value else {
                throw .execution(
                    "temporal-expected", "\(name) takes a date or time, not a \(value.typeName).")
            }
            return TemporalPart.of(time, function).map { .one($0) } ?? .empty
        default: break
        }
        guard let value = try single(input, name) else { return .empty }
        if case .quantity(let quantity) = value {
            guard
                let result = try number(
                    function, of: .decimal(quantity.value), arguments: arguments, in: scope, name: name),
                case .decimal(let decimal)? = Conversion.decimal(result)
            else { return .empty }
            return .one(
                .quantity(QuantityValue(decimal, unit: quantity.unit, isCalendar: quantity.isCalendar)))
        }
        return try number(function, of: value, arguments: arguments, in: scope, name: name).map { .one($0) } ?? .empty
    }

    private mutating func number(
        _ function: FHIRPathFunction, of value: FHIRPathValue, arguments: [ExpressionNode],
        in scope: Scope,
        name: @autoclosure () -> String
    ) throws(FHIRPathError) -> FHIRPathValue? {
        let decimal: FHIRPathDecimal
        switch value {
        case .integer(let number), .long(let number): decimal = FHIRPathDecimal(number)
        case .decimal(let number): decimal = number
        default:
            throw .execution("number-expected", "\(name()) takes a number, not a \(value.typeName).")
        }
        var isInteger = false
        switch value {
        case .integer, .long: isInteger = true
        default: break
        }
        func whole(_ number: FHIRPathDecimal) -> FHIRPathValue {
            number.whole.flatMap { (-2_147_483_648...2_147_483_647).contains($0) ? .integer($0) : nil }
                ?? .decimal(number)
        }
        switch function {
        case .abs:
            let absolute = FHIRPathDecimal(Swift.abs(decimal.value), scale: decimal.scale)
            return isInteger ? whole(absolute) : .decimal(absolute)
        case .ceiling: return whole(decimal.rounded(0, .up))
        case .floor: return whole(decimal.rounded(0, .down))
        case .truncate: return whole(decimal.rounded(0, decimal.value < 0 ? .up : .down))
        case .round:
            var digits = 0
            if let node = arguments.first {
                guard let requested = try integer(try argument(node, scope), name()) else { return nil }
                digits = requested
            }
            guard digits >= 0 else {
                throw .execution("negative-precision", "round() takes no negative precision.")
            }
            return .decimal(
                isInteger
                    ? FHIRPathDecimal(decimal.value, scale: 0) : decimal.roundedHalfUp(Swift.min(digits, 38)))
        case .exp: return real(Foundation.exp(decimal.double))
        case .ln: return decimal.value > 0 ? real(Foundation.log(decimal.double)) : nil
        case .sqrt: return decimal.value >= 0 ? root(decimal) : nil
        case .log:
            guard let base = try single(try argument(arguments[0], scope), name()),
                case .decimal(let number)? = Conversion.decimal(base), number.value > 0, number.value != 1,
                decimal.value > 0
            else { return nil }
            return real(Foundation.log(decimal.double) / Foundation.log(number.double))
        case .power:
            guard let exponent = try single(try argument(arguments[0], scope), name()) else { return nil }
            return power(decimal, isInteger: isInteger, exponent: exponent)
        default: return nil
        }
    }

    private func real(_ value: Double) -> FHIRPathValue? {
        FHIRPathDecimal(value).map(FHIRPathValue.decimal)
    }

    /// Returns the root by Newton's method, starting at the nearest double. It is exact if the root is a decimal with
    /// few enough digits.
    private func root(_ number: FHIRPathDecimal) -> FHIRPathValue? {
        guard number.value > 0 else { return .decimal(FHIRPathDecimal(0)) }
        guard var near = FHIRPathDecimal(number.double.squareRoot())?.value, near > 0 else {
            return nil
        }
        for _ in 0..<2 where near * near != number.value { near = (near + number.value / near) / 2 }
        // Two digits fewer than a decimal holds, because the last ones are not exact.
        let whole = near.description.prefix { $0 != "." }.count
        return .decimal(FHIRPathDecimal(FHIRPathDecimal(near).rounded(Swift.max(0, 34 - whole)).value))
    }

    private func power(_ base: FHIRPathDecimal, isInteger: Bool, exponent: FHIRPathValue) -> FHIRPathValue? {
        if case .integer(let count) = exponent, Swift.abs(count) <= 1000 {
            if count < 0 && base.value == 0 { return nil }
            let result = pow(base.value, Swift.abs(count))
            guard !result.isNaN else { return nil }
            let value = count < 0 ? 1 / result : result
            if isInteger, count >= 0 {
                let whole = FHIRPathDecimal(value)
                if let number = whole.whole, (-2_147_483_648...2_147_483_647).contains(number) {
                    return .integer(number)
                }
            }
            return FHIRPathDecimal(result: value).map(FHIRPathValue.decimal)
        }
        guard case .decimal(let decimal)? = Conversion.decimal(exponent) else { return nil }
        if decimal.value == 0.5 as Decimal { return base.value >= 0 ? root(base) : nil }
        return real(Foundation.pow(base.double, decimal.double))
    }

    // MARK: Summaries

    private mutating func summary(
        _ function: FHIRPathFunction, _ input: Items
    ) throws(FHIRPathError) -> Items {
        try spend(input.count)
        guard var result = input.first?.system else { return .empty }
        for item in input.array.dropFirst() {
            switch function {
            case .min, .max:
                guard let order = try ValueOrder.compare(item.system, with: result, name: function.rawValue + "()")
                else {
                    return .empty
                }
                if function == .min ? order < 0 : order > 0 { result = item.system }
            default:
                guard let sum = try Arithmetic.apply(.add, left: result, right: item.system) else { return .empty }
                result = sum
            }
        }
        guard function == .avg else { return .one(result) }
        return try Arithmetic.apply(.divide, left: result, right: .integer(input.count)).map { .one($0) } ?? .empty
    }
}

/// The least and the greatest value that a value of limited precision may represent
/// (<https://build.fhir.org/ig/HL7/FHIRPath/#lowboundaryprecision-integer-decimal--date--datetime--time>).
enum Boundary {
    /// Maximum number of digits of a decimal in FHIRPath.
    static let maximumDigits = 28

    static func of(_ value: FHIRPathValue, isLow: Bool, digits: Int?) -> FHIRPathValue? {
        switch value {
        case .integer(let number), .long(let number):
            return decimal(FHIRPathDecimal(number), isLow: isLow, digits: digits ?? 8).map(FHIRPathValue.decimal)
        case .decimal(let number):
            return decimal(number, isLow: isLow, digits: digits ?? 8).map(FHIRPathValue.decimal)
        case .quantity(let quantity):
            return decimal(quantity.value, isLow: isLow, digits: digits ?? 8).map {
                .quantity(QuantityValue($0, unit: quantity.unit, isCalendar: quantity.isCalendar))
            }
        case .temporal(let time):
            return time.boundary(isLow: isLow, digits: digits).map(FHIRPathValue.temporal)
        default: return nil
        }
    }

    /// Returns the number minus or plus half a unit of its last digit, written with `digits` digits after the point.
    ///
    /// If no digit of the value is visible at that precision, the value and its boundaries are 0.
    private static func decimal(_ number: FHIRPathDecimal, isLow: Bool, digits: Int) -> FHIRPathDecimal? {
        guard (0...maximumDigits).contains(digits), number.scale <= maximumDigits else { return nil }
        let half = Decimal(sign: .plus, exponent: -number.scale - 1, significand: 5)
        let exact = FHIRPathDecimal(isLow ? number.value - half : number.value + half)
        let shown = number.rounded(digits, number.value < 0 ? .up : .down)
        if shown.value == 0, number.value != 0, digits < number.scale {
            return FHIRPathDecimal(0, scale: digits)
        }
        return exact.rounded(digits, isLow ? .down : .up)
    }

    static func precision(_ value: FHIRPathValue) -> Int? {
        switch value {
        case .integer, .long: 0
        case .decimal(let number): number.scale
        case .temporal(let time): time.digits
        default: nil
        }
    }
}

/// The components of dates and times.
enum TemporalPart {
    static func of(_ time: TemporalValue, _ function: FHIRPathFunction) -> FHIRPathValue? {
        let isTime = time.kind == .time
        switch function {
        case .yearOf: return isTime ? nil : .integer(time.year)
        case .monthOf: return isTime || time.precision < .month ? nil : .integer(time.month)
        case .dayOf: return isTime || time.precision < .day ? nil : .integer(time.day)
        case .hourOf: return time.precision < .hour ? nil : .integer(time.hour)
        case .minuteOf: return time.precision < .minute ? nil : .integer(time.minute)
        case .secondOf: return time.precision < .second ? nil : .integer(time.second)
        case .millisecondOf:
            return time.precision < .second || time.fractionDigits == 0
                ? nil : .integer(time.nanosecond / 1_000_000)
        case .timezoneOffsetOf:
            return time.offset.map {
                .decimal(FHIRPathDecimal(Decimal($0) / 60, scale: $0 % 60 == 0 ? 1 : nil))
            }
        case .dateOf: return Conversion.date(.temporal(time))
        case .timeOf:
            guard time.kind == .dateTime, time.precision >= .hour else { return nil }
            return .temporal(
                TemporalValue(
                    kind: .time, precision: time.precision, hour: time.hour, minute: time.minute,
                    second: time.second,
                    nanosecond: time.nanosecond, fractionDigits: time.fractionDigits))
        default: return nil
        }
    }
}
