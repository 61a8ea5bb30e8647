import Core
import FHIR

/// A value of a number parameter as exact bounds (<https://hl7.org/fhir/R4/search.html#number>).
///
/// A decimal is one number with an implicit range around it: 2.0 represents all numbers from 1.95 to 2.05. A search by
/// `eq` or `ne` compares the stored number with the implicit range of the searched number, one by `ap` compares both
/// ranges. All other prefixes compare the numbers themselves, because there "the implicit precision is ignored". A
/// stored Range has exactly its own bounds, and a stored integer is exact.
package struct SearchNumber: Sendable, Hashable {
    /// The lower bound; nil where there is none.
    package let low: ExactNumber?
    /// The upper bound; nil where there is none.
    package let high: ExactNumber?
    /// The lower bound of the implicit range.
    package let implicitLow: ExactNumber?
    /// The upper bound of the implicit range.
    package let implicitHigh: ExactNumber?

    package init(low: ExactNumber?, high: ExactNumber?, implicitLow: ExactNumber?, implicitHigh: ExactNumber?) {
        self.low = low
        self.high = high
        self.implicitLow = implicitLow
        self.implicitHigh = implicitHigh
    }

    /// Creates the range between two bounds.
    package init(low: ExactNumber?, high: ExactNumber?) {
        self.init(low: low, high: high, implicitLow: low, implicitHigh: high)
    }

    /// Creates an exact integer.
    package init(_ integer: Int) {
        let value = ExactNumber(integer)
        self.init(low: value, high: value)
    }

    /// Creates a decimal as written; nil where the text is not a decimal, or has more digits than any measurement.
    package init?(decimal text: some StringProtocol) {
        guard
            let value = ExactNumber(
                decimal: text, digitLimit: SearchNumber.maximumDigits, exponentLimit: SearchNumber.largestExponent)
        else { return nil }
        let half = ExactNumber(numerator: Natural(5), exponent: SearchNumber.lastDigitExponent(of: text) - 1)
        self.init(low: value, high: value, implicitLow: value - half, implicitHigh: value + half)
    }

    /// Limits of digits and exponents. Longer numbers are not health data, and are slow to compare.
    private static let maximumDigits = 100
    private static let largestExponent = 400

    /// Returns the power of ten of the last digit: -2 for `5.40`, 0 for `100`.
    ///
    /// An integer before an exponent has one more significant digit than written: R4 gives `1e2` the range from 95 to
    /// 105.
    private static func lastDigitExponent(of text: some StringProtocol) -> Int {
        var mantissa = text.utf8[...]
        var exponent = 0
        if let mark = mantissa.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            exponent = Int(text[text.index(after: mark)...]) ?? 0
            mantissa = mantissa[..<mark]
            if !mantissa.contains(UInt8(ascii: ".")) { exponent -= 1 }
        }
        guard let point = mantissa.firstIndex(of: UInt8(ascii: ".")) else { return exponent }
        return exponent - (mantissa.distance(from: point, to: mantissa.endIndex) - 1)
    }

    /// Returns the range on another scale. The scale may be reversed, as that of pH is.
    package func mapped(_ change: (ExactNumber) -> ExactNumber?) -> SearchNumber? {
        guard let (low, high) = SearchNumber.ordered(low, high, by: change),
            let (implicitLow, implicitHigh) = SearchNumber.ordered(implicitLow, implicitHigh, by: change)
        else { return nil }
        return SearchNumber(low: low, high: high, implicitLow: implicitLow, implicitHigh: implicitHigh)
    }

    private static func ordered(
        _ low: ExactNumber?, _ high: ExactNumber?, by change: (ExactNumber) -> ExactNumber?
    ) -> (ExactNumber?, ExactNumber?)? {
        func changed(_ number: ExactNumber) -> ExactNumber? { change(number).flatMap { $0.isBounded ? $0 : nil } }
        switch (low, high) {
        case (nil, nil): return (nil, nil)
        case (let low?, nil): return changed(low).map { ($0, nil) }
        case (nil, let high?): return changed(high).map { (nil, $0) }
        case (let low?, let high?):
            guard let first = changed(low) else { return nil }
            if low == high { return (first, first) }
            guard let second = changed(high) else { return nil }
            return second < first ? (second, first) : (first, second)
        }
    }
}
