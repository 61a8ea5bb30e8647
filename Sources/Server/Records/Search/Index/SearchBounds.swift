import Core

/// A number as the index has it: the bounds of a ``SearchNumber``, each the nearest double.
///
/// Equal numbers have equal bounds, for each is made of the exact one; two that differ behind the 16th digit are one.
struct SearchBounds: Sendable, Hashable {
    let low: Double
    let high: Double
    let implicitLow: Double
    let implicitHigh: Double

    init(_ number: SearchNumber) {
        low = number.low?.double ?? -.infinity
        high = number.high?.double ?? .infinity
        implicitLow = number.implicitLow?.double ?? -.infinity
        implicitHigh = number.implicitHigh?.double ?? .infinity
    }

    /// The bounds of a decimal as it was written; nil for what is none (``SearchNumber/init(decimal:)``).
    init?(decimal text: String) {
        if let plain = SearchBounds(plain: text) {
            self = plain
        } else if let number = SearchNumber(decimal: text) {
            self.init(number)
        } else {
            return nil
        }
    }

    /// The bounds of a decimal of few digits without an exponent.
    ///
    /// The digits and the power of ten are whole numbers below 2^53 and so exact, and IEEE 754 rounds their quotient to the
    /// nearest double: the same that the exact number has.
    private init?(plain text: String) {
        var digits: Int64 = 0
        var count = 0
        var places: Int?
        var utf8 = text.utf8[...]
        let isNegative = utf8.first == UInt8(ascii: "-")
        if isNegative { utf8.removeFirst() }
        for byte in utf8 {
            if byte == UInt8(ascii: "."), places == nil, count > 0 {
                places = 0
                continue
            }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), count < 14 else { return nil }
            digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
            count += 1
            places = places.map { $0 + 1 }
        }
        guard count > 0, places != 0 else { return nil }
        let scale = ExactPowers.ofTen[places ?? 0]
        let half = ExactPowers.ofTen[(places ?? 0) + 1]
        let value = isNegative ? -digits : digits
        low = Double(value) / scale
        high = low
        implicitLow = Double(value * 10 - 5) / half
        implicitHigh = Double(value * 10 + 5) / half
    }
}
