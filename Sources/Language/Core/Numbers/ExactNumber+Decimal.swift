import Foundation

extension ExactNumber {
    /// The digits that a `Decimal` surely holds.
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
        // The digits are the only exact view of a larger Decimal that every platform offers.
        guard let number = ExactNumber(decimal: decimal.description) else { return nil }
        self = number
    }

    /// Significands below this fit into a word.
    private static let wordLimit = Decimal(1_000_000_000_000_000_000 as UInt64)

    /// The exact value of a floating point number's shortest decimal form; nil for infinities and NaN.
    package init?(_ double: Double) {
        guard double.isFinite, let number = ExactNumber(decimal: double.description) else { return nil }
        self = number
    }

    /// The number as `digits · 10^exponent`, rounded half to even to so many significant digits. The digits have no
    /// zeros at their end, and the number is exact where it needs no more of them.
    package func rounded(toDigits count: Int) -> (digits: Natural, exponent: Int) {
        guard !isZero else { return (.zero, 0) }
        if denominator.isOne, count >= Self.decimalDigits, numerator.bitWidth <= 126 {
            // Less than 10^38, and so exact as it is.
            var digits = numerator
            let zeros = digits.removeTens()
            return (digits, exponent + zeros)
        }
        // log10(2) = 0.30103: the estimate is never less than one digit short, so the quotient has enough digits.
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

    /// The decimal nearest to the number: exact where 38 significant digits hold it, else rounded half to even to 38
    /// digits, fewer below 10^-90 (a `Decimal` has no digits after the 128th decimal place). Nil where the number is
    /// too large or so small that nothing would be left of it.
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

    /// The nearest floating point number, to 20 significant digits; infinite where it is too large.
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
