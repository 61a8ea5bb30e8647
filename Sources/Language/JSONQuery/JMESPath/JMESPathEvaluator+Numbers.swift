import Core
import Foundation

extension JMESPathEvaluator {
    /// Maximum number of digits, and maximum absolute value of an exponent, of numbers in arithmetic.
    private static let maximumDigits = 400
    /// A number of digits that no sum of such numbers exceeds.
    private static let sumDigits = 1_000

    /// Returns the exact value of a number.
    private mutating func exact(
        _ number: JSONNumber, _ function: JMESPathFunction
    ) throws(JMESPathError) -> ExactNumber {
        try spend(number.cost)
        guard
            let value = ExactNumber(
                decimal: number.text, digitLimit: Self.maximumDigits, exponentLimit: Self.maximumDigits)
        else {
            throw JMESPathError(
                .outOfRange, "\(function.rawValue)() takes numbers of up to \(Self.maximumDigits) digits.")
        }
        return value
    }

    /// Writes a number. A fraction without an exact decimal is rounded half to even, to 38 significant digits.
    private func json(_ value: ExactNumber) -> JSON {
        let value = value.reduced
        let text = value.text(digits: value.denominator.isOne ? Self.sumDigits : ExactNumber.decimalDigits)
        return JSONNumber(text: text).map { .number($0) } ?? .null
    }

    // MARK: Functions of the specification

    /// `abs`, `ceil` and `floor`.
    mutating func rounded(_ function: JMESPathFunction, _ number: JSONNumber) throws(JMESPathError) -> JSON {
        if function == .abs {
            return number.text.hasPrefix("-")
                ? JSONNumber(text: String(number.text.dropFirst())).map { .number($0) } ?? .null : .number(number)
        }
        let value = try exact(number, function)
        guard value.exponent < 0 else { return json(value) }
        let (quotient, remainder) = value.numerator.quotientAndRemainder(dividingBy: .powerOfTen(-value.exponent))
        let isAway = !remainder.isZero && value.isNegative == (function == .floor)
        return json(ExactNumber(isNegative: value.isNegative, numerator: isAway ? quotient + .one : quotient))
    }

    /// `sum` and `avg`; the average of an empty array is null.
    mutating func total(_ function: JMESPathFunction, _ elements: [JSON]) throws(JMESPathError) -> JSON {
        var small = 0
        var large = ExactNumber.zero
        for element in elements {
            guard case .number(let number) = element else { throw refusal(function, "an array of numbers") }
            try spend()
            if let integer = number.integer, case (let sum, false) = small.addingReportingOverflow(integer) {
                small = sum
            } else {
                large = large + (try exact(number, function))
            }
        }
        let sum = large + ExactNumber(small)
        guard function == .avg else { return json(sum) }
        return elements.isEmpty ? .null : json(sum / ExactNumber(elements.count))
    }

    // MARK: Functions of device mapping templates

    /// Returns the number as an integer, however it is written; nil if it exceeds 64 bits.
    mutating func whole(_ number: JSONNumber, _ function: JMESPathFunction) throws(JMESPathError) -> Int? {
        if let integer = number.integer { return integer }
        let value = (try exact(number, function)).reduced
        guard value.exponent >= 0 else { throw refusal(function, "a whole number as the offset or the time") }
        return Int(value.text(digits: Self.sumDigits))
    }

    /// `add`, `subtract`, `multiply`, `divide` and `pow`. A result that exceeds 64 bits is an overflow.
    mutating func arithmetic(
        _ function: JMESPathFunction, first: JSONNumber, second: JSONNumber
    ) throws(JMESPathError) -> JSON {
        let (left, right) = (try exact(first, function), try exact(second, function))
        switch function {
        case .add: return try bounded(left + right)
        case .subtract: return try bounded(left - right)
        case .multiply: return try bounded(left * right)
        case .divide:
            guard !right.isZero else { throw JMESPathError(.divideByZero, "divide() cannot divide by zero.") }
            return try bounded(left / right)
        default:
            return try power(left, exponent: right, nearBase: first.double, nearExponent: second.double)
        }
    }

    private func bounded(_ value: ExactNumber) throws(JMESPathError) -> JSON {
        let bound = value.isNegative ? Self.least : Self.greatest
        guard value.isNegative ? value >= bound : value <= bound else { throw Self.overflow }
        return json(value)
    }

    private static let greatest = ExactNumber(Int.max)
    private static let least = ExactNumber(Int.min)
    private static let overflow = JMESPathError(.overflow, "The result of arithmetic has more than 64 bits.")

    /// Returns a power: exact for integer exponents with results of few digits, otherwise in binary floating point.
    private mutating func power(
        _ base: ExactNumber, exponent: ExactNumber, nearBase: Double, nearExponent: Double
    ) throws(JMESPathError) -> JSON {
        if base.isZero, exponent.isNegative {
            throw JMESPathError(.divideByZero, "pow() cannot raise zero to a negative power.")
        }
        let near = Foundation.pow(nearBase, nearExponent)
        guard !near.isNaN else {
            throw JMESPathError(.invalidValue, "pow() of a negative number takes a whole exponent.")
        }
        guard near.magnitude < 1e19 else { throw Self.overflow }
        if nearExponent == nearExponent.rounded(), nearExponent.magnitude * Double(base.numerator.bitWidth) <= 2_000,
            nearExponent.magnitude * Double(base.exponent.magnitude) <= 400
        {
            return try bounded(base.power(Int(nearExponent)))
        }
        guard let value = ExactNumber(near) else { throw Self.overflow }
        return try bounded(value)
    }

    /// `fromUnixTimestamp` and `fromUnixTimestampMs`: the instant in UTC, in the connector's format.
    mutating func instant(_ function: JMESPathFunction, _ number: JSONNumber) throws(JMESPathError) -> JSON {
        let perSecond = function == .fromUnixTimestampMs ? 1_000 : 1
        guard let units = try whole(number, function),
            units >= Self.firstSecond * perSecond, units < Self.endSecond * perSecond
        else {
            throw JMESPathError(.outOfRange, "\(function.rawValue)() takes an instant of the years 1 to 9999.")
        }
        let instant = Date(timeIntervalSince1970: Double(units) / Double(perSecond))
        let text = DateTime(instant, milliseconds: units % perSecond != 0).text
        return .string(text.dropLast() + "+0")
    }

    private static let firstSecond = CivilDate.days(year: 1, month: 1, day: 1) * 86_400
    private static let endSecond = CivilDate.days(year: 10_000, month: 1, day: 1) * 86_400
}
