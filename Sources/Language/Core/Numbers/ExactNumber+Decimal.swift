import Foundation

extension ExactNumber {
    /// Number of digits that every `Decimal` can hold.
    package static let decimalDigits = 38

    /// The exact value of a decimal; nil for one that is not a number.
    package init?(_ decimal: Decimal) {
        guard decimal.isFinite else { return nil }
        let significand = decimal.significand.magnitude
        if significand < Self.wordLimit {
            let word = UInt64(bitPattern: (significand as NSDecimalNumber).int64Value)
            self.init(
                isNegative: decimal.isSignMinus, numerator: Natural(word), exponent: word == 0 ? 0 : decimal.exponent)
            return
        }
        // For a larger Decimal, the digits of its description are the only exact value on every platform.
        guard let number = ExactNumber(decimal: decimal.description) else { return nil }
        self = number
    }

    /// Significands below this limit fit in a word.
    private static let wordLimit = Decimal(1_000_000_000_000_000_000 as UInt64)

    /// The exact value of a floating point number's shortest decimal form; nil for infinities and NaN.
    package init?(_ double: Double) {
        guard double.isFinite, let number = ExactNumber(decimal: double.description) else { return nil }
        self = number
    }

    /// Returns the number as `digits · 10^exponent`, rounded half to even to `count` significant digits. The digits
    /// have no trailing zeros, and the number is exact if it needs no more digits.
    package func rounded(toDigits count: Int) -> (digits: Natural, exponent: Int) {
        guard !isZero else { return (.zero, 0) }
        if denominator.isOne, count >= Self.decimalDigits, numerator.bitWidth <= 126 {
            // Less than 10^38, so it is exact without rounding.
            var digits = numerator
            let zeros = digits.removeTens()
            return (digits, exponent + zeros)
        }
        // log10(2) = 0.30103: the estimate is at least one digit too low, so the quotient has enough digits.
        let estimate = Int((Double(numerator.bitWidth - denominator.bitWidth) * 0.30103).rounded(.down)) - 1
        let scale = count + 1 - estimate
        let dividend = scale > 0 ? numerator * .powerOfTen(scale) : numerator
        let divisor = scale < 0 ? denominator * .powerOfTen(-scale) : denominator
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        var digits = quotient
        var isExact = remainder.isZero
        var exponent = exponent - scale
        let limit = Natural.powerOfTen(count)
        var lastDigit: UInt64 = 0
        while digits >= limit {
            isExact = isExact && lastDigit == 0
            (digits, lastDigit) = digits.quotientAndRemainder(dividingByWord: 10)
            exponent += 1
        }
        let isOdd = digits.low & 1 == 1
        if lastDigit > 5 || (lastDigit == 5 && (!isExact || isOdd)) { digits = digits + .one }
        exponent += digits.removeTens()
        return (digits, exponent)
    }

    /// The decimal nearest to the number: exact if 38 significant digits hold it, otherwise rounded half to even to 38
    /// digits, and to fewer below 10^-90 (a `Decimal` has a maximum of 128 digits after the decimal point). Nil if the
    /// number is too large, or so small that no digit remains.
    package var decimal: Decimal? {
        guard !isZero else { return Decimal(0) }
        var (digits, exponent) = rounded(toDigits: Self.decimalDigits)
        if exponent < Self.leastExponent {
            let kept = digits.decimalDigits.count - (Self.leastExponent - exponent)
            guard kept > 0 else { return nil }
            (digits, exponent) = rounded(toDigits: kept)
        }
        guard exponent <= Self.greatestExponent else { return nil }
        let half = Self.smallPower19
        let (top, bottom) = digits.quotientAndRemainder(dividingByWord: half)
        let significand = top.isZero ? Decimal(bottom) : Decimal(top.low) * Decimal(half) + Decimal(bottom)
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }

    private static let leastExponent = -128
    private static let greatestExponent = 127
    private static let smallPower19: UInt64 = 10_000_000_000_000_000_000

    /// The nearest floating point number, to 20 significant digits; infinite if it is too large.
    package var double: Double {
        if denominator.isOne, numerator.bitWidth <= 53, exponent.magnitude < ExactPowers.ofTen.count {
            let power = ExactPowers.ofTen[Int(exponent.magnitude)]
            let magnitude = exponent < 0 ? Double(numerator.low) / power : Double(numerator.low) * power
            return isNegative ? -magnitude : magnitude
        }
        let (digits, exponent) = rounded(toDigits: 20)
        return Double("\(isNegative ? "-" : "")\(digits.decimalDigits)e\(exponent)") ?? .infinity
    }
}
