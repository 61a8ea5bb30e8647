import Foundation

/// A decimal number with the number of digits written after its point, which determine its precision.
public struct FHIRPathDecimal: Sendable, Hashable {
    /// The digits as one number, if they fit: 1.50 is 150.
    private let digits: Int64
    private let shownScale: Int32
    /// The number, if its digits do not fit or if it has more digits than are shown.
    private let large: LargeDecimal?

    /// Number of digits after the point, including trailing zeros.
    public var scale: Int { Int(shownScale) }

    /// The number.
    public var value: Decimal {
        if let large { return large.value }
        return Decimal(
            sign: digits < 0 ? .minus : .plus, exponent: -scale, significand: Decimal(digits.magnitude))
    }

    private init(digits: Int64, scale: Int) {
        self.digits = digits
        shownScale = Int32(scale)
        large = nil
    }

    /// Creates a decimal from a number. The default scale is the number's own.
    public init(_ value: Decimal, scale: Int? = nil) {
        digits = 0
        shownScale = Int32(scale ?? max(0, -value.exponent))
        large = LargeDecimal(value)
    }

    /// Creates a decimal without digits after the point.
    public init(_ value: Int) { self.init(digits: Int64(value), scale: 0) }

    /// Reads digits with an optional point and exponent; nil for more than 38 digits or anything else.
    public init?(text: String) {
        var count = 0
        var fractionDigits = 0
        var sawPoint = false
        var number: Int64 = 0
        var isNegative = false
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                count += 1
                if sawPoint { fractionDigits += 1 }
                if count <= 18 { number = number * 10 + Int64(byte - UInt8(ascii: "0")) }
            case UInt8(ascii: "."):
                guard !sawPoint, count > 0 else { return nil }
                sawPoint = true
            case UInt8(ascii: "-"), UInt8(ascii: "+"):
                guard offset == 0 else { return nil }
                isNegative = byte == UInt8(ascii: "-")
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                let tail = String(decoding: text.utf8.dropFirst(offset + 1), as: UTF8.self)
                guard count > 0, let power = Int(tail), (-120...120).contains(power) else { return nil }
                guard count <= 38, let value = Decimal(string: text, locale: nil), !value.isNaN else {
                    return nil
                }
                self.init(value, scale: max(0, fractionDigits - power))
                return
            default: return nil
            }
        }
        guard count > 0, count <= 38, !(sawPoint && fractionDigits == 0) else { return nil }
        if count <= 18 {
            self.init(digits: isNegative ? -number : number, scale: fractionDigits)
            return
        }
        guard let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        self.init(value, scale: fractionDigits)
    }

    /// Creates the nearest decimal with 15 significant digits; nil if the number is not finite.
    init?(_ double: Double) {
        guard double.isFinite, Swift.abs(double) < 1e120 else { return nil }
        guard let value = Decimal(string: String(format: "%.15g", double), locale: nil) else {
            return nil
        }
        self.init(value)
    }

    /// The nearest binary number.
    public var double: Double {
        if large == nil, scale == 0 { return Double(digits) }
        return NSDecimalNumber(decimal: value).doubleValue
    }

    /// The digits as written or as calculated.
    public var text: String {
        if large == nil, scale == 0 { return String(digits) }
        let plain = value.description
        guard scale > 0 else { return plain }
        let point = plain.firstIndex(of: ".")
        let fractionDigits = point.map { plain.distance(from: $0, to: plain.endIndex) - 1 } ?? 0
        guard fractionDigits < scale else { return plain }
        return plain + (point == nil ? "." : "")
            + String(repeating: "0", count: min(scale, 64) - min(fractionDigits, 64))
    }

    public static func == (left: FHIRPathDecimal, right: FHIRPathDecimal) -> Bool {
        left.compare(right) == 0
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(double) }

    /// Compares two numbers. Returns -1, 0 or 1.
    func compare(_ other: FHIRPathDecimal) -> Int {
        if large == nil, other.large == nil, let (a, b) = aligned(other) {
            return a < b ? -1 : a == b ? 0 : 1
        }
        let (a, b) = (value, other.value)
        return a < b ? -1 : a == b ? 0 : 1
    }

    /// Returns the digits of both numbers with the same scale; nil if they do not fit.
    private func aligned(_ other: FHIRPathDecimal) -> (Int64, Int64)? {
        if shownScale == other.shownScale { return (digits, other.digits) }
        let distance = Int(shownScale) - Int(other.shownScale)
        guard distance.magnitude < FHIRPathDecimal.powers.count else { return nil }
        let factor = FHIRPathDecimal.powers[Int(distance.magnitude)]
        let (scaled, overflow) = (distance > 0 ? other.digits : digits).multipliedReportingOverflow(
            by: factor)
        if overflow { return nil }
        return distance > 0 ? (digits, scaled) : (scaled, other.digits)
    }

    private static let powers: [Int64] = (0...18).map { count in
        (0..<count).reduce(1) { power, _ in power * 10 }
    }

    /// Returns the sum with the precision of the more precise operand; nil if it cannot be represented.
    func adding(_ other: FHIRPathDecimal) -> FHIRPathDecimal? {
        if large == nil, other.large == nil, let (a, b) = aligned(other) {
            let (sum, overflow) = a.addingReportingOverflow(b)
            if !overflow { return FHIRPathDecimal(digits: sum, scale: max(scale, other.scale)) }
        }
        return FHIRPathDecimal(result: value + other.value, scale: max(scale, other.scale))
    }

    func rounded(_ scale: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> FHIRPathDecimal {
        if large == nil, scale == self.scale { return self }
        var input = value
        var output = Decimal()
        NSDecimalRound(&output, &input, scale, mode)
        return FHIRPathDecimal(output, scale: max(0, scale))
    }

    /// Rounds half away from zero, as `round()` requires.
    func roundedHalfUp(_ scale: Int) -> FHIRPathDecimal { rounded(scale, .plain) }

    var negated: FHIRPathDecimal {
        large == nil && digits != .min
            ? FHIRPathDecimal(digits: -digits, scale: scale) : FHIRPathDecimal(-value, scale: scale)
    }

    /// The number as an integer of 64 bits; nil if it has a fraction or does not fit.
    var whole: Int? {
        if large == nil, scale == 0 { return Int(digits) }
        let value = self.value
        let whole = rounded(0, .down).value
        guard whole == value, whole >= Decimal(Int.min), whole <= Decimal(Int.max) else { return nil }
        return Int(whole.description)
    }
}

/// A decimal on the heap. Nearly all numbers are small, and their items should not grow because of a few large ones.
private final class LargeDecimal: Sendable {
    let value: Decimal
    init(_ value: Decimal) { self.value = value }
}
