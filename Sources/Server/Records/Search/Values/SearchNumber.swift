import Core
import FHIR

/// A value of a number parameter as exact bounds (<https://hl7.org/fhir/R4/search.html#number>).
///
/// A decimal is one number with an implicit range around it: 2.0 stands for all from 1.95 to 2.05. A search by `eq` or `ne`
/// compares the stored number with the implicit range of the number asked for, one by `ap` compares both ranges. All other
/// prefixes compare the numbers themselves, for there "the implicit precision is ignored". A stored Range is what it says,
/// and a stored integer is exact.
struct SearchNumber: Sendable, Hashable {
    /// The least value; nil where there is no bound.
    let low: ExactNumber?
    /// The greatest value; nil where there is no bound.
    let high: ExactNumber?
    /// Where the implicit range begins.
    let implicitLow: ExactNumber?
    /// Where the implicit range ends.
    let implicitHigh: ExactNumber?

    init(low: ExactNumber?, high: ExactNumber?, implicitLow: ExactNumber?, implicitHigh: ExactNumber?) {
        self.low = low
        self.high = high
        self.implicitLow = implicitLow
        self.implicitHigh = implicitHigh
    }

    /// All numbers between two bounds.
    init(low: ExactNumber?, high: ExactNumber?) {
        self.init(low: low, high: high, implicitLow: low, implicitHigh: high)
    }

    /// An integer.
    init(_ integer: Int) {
        let value = ExactNumber(integer)
        self.init(low: value, high: value)
    }

    /// A decimal as it was written; nil for what is none, or has more digits than any measurement.
    init?(decimal text: some StringProtocol) {
        guard
            let value = ExactNumber(
                decimal: text, digitLimit: SearchNumber.mostDigits, exponentLimit: SearchNumber.largestExponent)
        else { return nil }
        let half = ExactNumber(numerator: Natural(5), exponent: SearchNumber.lastPlace(of: text) - 1)
        self.init(low: value, high: value, implicitLow: value - half, implicitHigh: value + half)
    }

    /// Digits and exponents beyond these are no health data, and cost time to compare.
    private static let mostDigits = 100
    private static let largestExponent = 400

    /// The power of ten of the last digit: -2 for `5.40`, 0 for `100`.
    ///
    /// A whole number in front of an exponent has one digit more than is written: R4 gives `1e2` the range from 95 to 105.
    private static func lastPlace(of text: some StringProtocol) -> Int {
        var mantissa = text.utf8[...]
        var place = 0
        if let mark = mantissa.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            place = Int(text[text.index(after: mark)...]) ?? 0
            mantissa = mantissa[..<mark]
            if !mantissa.contains(UInt8(ascii: ".")) { place -= 1 }
        }
        guard let point = mantissa.firstIndex(of: UInt8(ascii: ".")) else { return place }
        return place - (mantissa.distance(from: point, to: mantissa.endIndex) - 1)
    }

    /// The numbers of this range on another scale, which may run the other way, as pH does.
    func mapped(_ change: (ExactNumber) -> ExactNumber?) -> SearchNumber? {
        guard let (low, high) = SearchNumber.ordered(low, high, change),
            let (implicitLow, implicitHigh) = SearchNumber.ordered(implicitLow, implicitHigh, change)
        else { return nil }
        return SearchNumber(low: low, high: high, implicitLow: implicitLow, implicitHigh: implicitHigh)
    }

    private static func ordered(
        _ low: ExactNumber?, _ high: ExactNumber?, _ change: (ExactNumber) -> ExactNumber?
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
