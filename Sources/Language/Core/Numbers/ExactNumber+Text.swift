import Foundation

extension ExactNumber {
    /// The decimal of equal value; nil if a `Decimal` cannot hold it without loss.
    package var exactDecimal: Decimal? {
        let number = reduced
        guard number.denominator.isOne else { return nil }
        let digits = number.numerator.decimalDigits
        guard digits.utf8.count <= Self.decimalDigits, (-128...127).contains(number.exponent) else { return nil }
        return Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(number.exponent)", locale: nil)
    }

    /// Returns the number in JSON's grammar, rounded half to even to `count` significant digits; without an exponent if
    /// that needs few zeros.
    package func text(digits count: Int) -> String {
        let (digits, exponent) = rounded(toDigits: count)
        return Self.text(isNegative: isNegative, digits: digits.decimalDigits, exponent: exponent)
    }

    /// Returns `± digits · 10^exponent` in JSON's grammar. The digits have no leading zeros.
    package static func text(isNegative: Bool, digits: String, exponent: Int) -> String {
        if digits == "0" { return digits }
        let length = digits.utf8.count
        let pointOffset = length + exponent
        let sign = isNegative ? "-" : ""
        if exponent == 0 { return sign + digits }
        if exponent > 0, pointOffset <= maximumPointOffset {
            return sign + digits + String(repeating: "0", count: exponent)
        }
        if exponent < 0, pointOffset > 0 { return sign + digits.prefix(pointOffset) + "." + digits.suffix(-exponent) }
        if exponent < 0, pointOffset > minimumPointOffset {
            return sign + "0." + String(repeating: "0", count: -pointOffset) + digits
        }
        return sign + digits.prefix(1) + (length > 1 ? "." + digits.dropFirst() : "") + "e\(pointOffset - 1)"
    }

    /// Outside of these limits an exponent is shorter than the zeros.
    private static let maximumPointOffset = 21
    private static let minimumPointOffset = -18
}
