import Core

/// The bounds of a ``SearchNumber`` in the index, each the nearest double.
///
/// Equal numbers have equal bounds, because each is rounded from the exact number. Numbers that differ only after the
/// 16th digit have the same bounds.
package struct SearchBounds: Sendable, Hashable {
    package let low: Double
    package let high: Double
    package let implicitLow: Double
    package let implicitHigh: Double

    package init(_ number: SearchNumber) {
        low = number.low?.double ?? -.infinity
        high = number.high?.double ?? .infinity
        implicitLow = number.implicitLow?.double ?? -.infinity
        implicitHigh = number.implicitHigh?.double ?? .infinity
    }

    /// Creates the bounds of a decimal as written; nil where the text is not a decimal
    /// (``SearchNumber/init(decimal:)``).
    package init?(decimal text: String) {
        if let plain = SearchBounds(plain: text) {
            self = plain
        } else if let number = SearchNumber(decimal: text) {
            self.init(number)
        } else {
            return nil
        }
    }

    /// Creates the bounds of a decimal of few digits without an exponent.
    ///
    /// The digits and the power of ten are integers below 2^53 and therefore exact, and IEEE 754 rounds their quotient
    /// to the nearest double. The result equals that of the exact number.
    private init?(plain text: String) {
        var digits: Int64 = 0
        var count = 0
        var fractionDigits: Int?
        var utf8 = text.utf8[...]
        let isNegative = utf8.first == UInt8(ascii: "-")
        if isNegative { utf8.removeFirst() }
        for byte in utf8 {
            if byte == UInt8(ascii: "."), fractionDigits == nil, count > 0 {
                fractionDigits = 0
                continue
            }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), count < 14 else { return nil }
            digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
            count += 1
            fractionDigits = fractionDigits.map { $0 + 1 }
        }
        guard count > 0, fractionDigits != 0 else { return nil }
        let scale = ExactPowers.ofTen[fractionDigits ?? 0]
        let half = ExactPowers.ofTen[(fractionDigits ?? 0) + 1]
        let value = isNegative ? -digits : digits
        low = Double(value) / scale
        high = low
        implicitLow = Double(value * 10 - 5) / half
        implicitHigh = Double(value * 10 + 5) / half
    }
}
