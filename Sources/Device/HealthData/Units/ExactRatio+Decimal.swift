import Foundation

extension ExactRatio {
    /// The number as `digits · 10^exponent`, rounded half to even to so many significant digits; exact where it needs
    /// no more. The digits have no zeros at their end.
    func rounded(toDigits count: Int) -> (digits: WholeNumber, exponent: Int) {
        guard !isZero else { return (.zero, 0) }
        var digits = numerator
        var power = exponent
        var isExact = true
        if !denominator.isOne {
            // One digit more than asked for, so that the last one decides with what is left over.
            let missing = count + 2 - (Self.digitCount(numerator) - Self.digitCount(denominator))
            let dividend = missing > 0 ? numerator * .powerOfTen(missing) : numerator
            let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: denominator)
            digits = quotient
            power -= max(missing, 0)
            isExact = remainder.isZero
        }
        let excess = Self.digitCount(digits) - count
        if excess > 0 {
            let unit = WholeNumber.powerOfTen(excess)
            let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: unit)
            let twice = remainder + remainder
            digits = quotient
            power += excess
            if twice > unit || (twice == unit && (!isExact || !digits.isEven)) { digits = digits + .one }
        }
        power += digits.removeFactors(10)
        return (digits, power)
    }

    /// The decimal of equal value; nil where a `Decimal` cannot hold it without loss.
    var decimal: Decimal? {
        guard denominator.isOne else { return nil }
        let digits = numerator.decimalDigits
        guard digits.utf8.count <= 38, (-128...127).contains(exponent) else { return nil }
        return Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(exponent)", locale: nil)
    }

    /// The nearest floating point number; infinite where it is too large.
    var double: Double {
        let (digits, exponent) = rounded(toDigits: 20)
        return Double("\(isNegative ? "-" : "")\(digits.decimalDigits)e\(exponent)") ?? .infinity
    }

    /// The number in JSON's grammar, rounded half to even to so many significant digits; without an exponent where
    /// that costs few zeros.
    func text(digits count: Int) -> String {
        let (whole, exponent) = rounded(toDigits: count)
        return Self.text(isNegative: isNegative, digits: whole.decimalDigits, exponent: exponent)
    }

    /// `± digits · 10^exponent` in JSON's grammar. The digits have no zero at the start.
    static func text(isNegative: Bool, digits: String, exponent: Int) -> String {
        if digits == "0" { return digits }
        let length = digits.utf8.count
        let places = length + exponent
        let sign = isNegative ? "-" : ""
        if exponent == 0 { return sign + digits }
        if exponent > 0, places <= greatestPlace { return sign + digits + String(repeating: "0", count: exponent) }
        if exponent < 0, places > 0 { return sign + digits.prefix(places) + "." + digits.suffix(-exponent) }
        if exponent < 0, places > leastPlace { return sign + "0." + String(repeating: "0", count: -places) + digits }
        return sign + digits.prefix(1) + (length > 1 ? "." + digits.dropFirst() : "") + "e\(places - 1)"
    }

    /// Beyond these an exponent is shorter than the zeros.
    private static let greatestPlace = 21
    private static let leastPlace = -18

    /// The number without an exponent, rounded half to even to so many significant digits.
    func plainText(digits count: Int) -> String {
        let (whole, exponent) = rounded(toDigits: count)
        let sign = isNegative ? "-" : ""
        return sign + ExactDecimal.shift(whole.decimalDigits, by: exponent)
    }

    private static func digitCount(_ number: WholeNumber) -> Int { number.decimalDigits.utf8.count }
}
