import Foundation

extension FHIRPathDecimal {
    /// Maximum number of digits of a text that ``init(text:)`` reads, with the zero before the point.
    static let maximumDigits = 38

    /// Creates a decimal from the result of a calculation, rounded so that ``init(text:)`` can read its text: 1/3 has 37
    /// digits after the point. Nil if the number is not finite, or has more digits before the point.
    ///
    /// - Parameter scale: number of digits after the point; by default the number's own.
    init?(result value: Decimal, scale: Int? = nil) {
        guard !value.isNaN else { return nil }
        let shown = max(0, scale ?? -value.exponent)
        // A result that certainly fits needs no text.
        if shown <= 18, value.exponent >= -18, value.magnitude < Self.wide {
            self.init(value, scale: shown)
            return
        }
        var number = FHIRPathDecimal(value, scale: shown)
        // Rounding up can add a digit before the point.
        for _ in 0..<2 {
            let digits = number.value.magnitude.description.prefix { $0 != "." }.utf8.count
            guard digits <= Self.maximumDigits else { return nil }
            let fraction = Self.maximumDigits - digits
            let own = max(0, -number.value.exponent)
            if max(own, number.scale) <= fraction { break }
            number = number.rounded(fraction)
        }
        self = number
    }

    private static let wide = Decimal(sign: .plus, exponent: 19, significand: 1)
}
