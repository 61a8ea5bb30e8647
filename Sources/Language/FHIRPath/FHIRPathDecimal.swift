import Foundation

/// A decimal number together with how many digits were written behind its point, which say how precise it is.
public struct FHIRPathDecimal: Sendable, Hashable {
    public let value: Decimal
    /// Digits behind the point, trailing zeros included.
    public let scale: Int

    public init(_ value: Decimal, scale: Int? = nil) {
        self.value = value
        self.scale = scale ?? max(0, -value.exponent)
    }

    public init(_ value: Int) { self.init(Decimal(value), scale: 0) }

    /// Digits with an optional point and exponent; nil for more digits than 38 or anything else.
    public init?(text: String) {
        var digits = 0
        var behind = 0
        var sawPoint = false
        var exponent = 0
        for (offset, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if sawPoint { behind += 1 }
            case UInt8(ascii: "."):
                guard !sawPoint, digits > 0 else { return nil }
                sawPoint = true
            case UInt8(ascii: "-"), UInt8(ascii: "+"):
                guard offset == 0 else { return nil }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                let tail = String(decoding: text.utf8.dropFirst(offset + 1), as: UTF8.self)
                guard digits > 0, let power = Int(tail), (-120...120).contains(power) else { return nil }
                exponent = power
                guard digits <= 38, let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
                self.init(value, scale: max(0, behind - exponent))
                return
            default: return nil
            }
        }
        guard digits > 0, digits <= 38, !(sawPoint && behind == 0),
            let value = Decimal(string: text, locale: nil), !value.isNaN
        else { return nil }
        self.init(value, scale: behind)
    }

    /// The nearest decimal with 15 significant digits; nil where the number is not finite.
    init?(_ double: Double) {
        guard double.isFinite, Swift.abs(double) < 1e120 else { return nil }
        guard let value = Decimal(string: String(format: "%.15g", double), locale: nil) else { return nil }
        self.init(value)
    }

    public var double: Double { NSDecimalNumber(decimal: value).doubleValue }

    /// The digits as they were written or as the calculation gave them.
    public var text: String {
        let plain = value.description
        guard scale > 0 else { return plain }
        let point = plain.firstIndex(of: ".")
        let behind = point.map { plain.distance(from: $0, to: plain.endIndex) - 1 } ?? 0
        guard behind < scale else { return plain }
        return plain + (point == nil ? "." : "") + String(repeating: "0", count: min(scale, 64) - min(behind, 64))
    }

    public static func == (left: FHIRPathDecimal, right: FHIRPathDecimal) -> Bool { left.value == right.value }
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }

    func rounded(_ scale: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) -> FHIRPathDecimal {
        var input = value
        var output = Decimal()
        NSDecimalRound(&output, &input, scale, mode)
        return FHIRPathDecimal(output, scale: max(0, scale))
    }

    /// Half away from zero, as `round()` asks for.
    func roundedHalfUp(_ scale: Int) -> FHIRPathDecimal { rounded(scale, .plain) }

    /// The number as an integer of 64 bits, where it is whole and fits.
    var whole: Int? {
        let whole = rounded(0, .down).value
        guard whole == value, whole >= Decimal(Int.min), whole <= Decimal(Int.max) else { return nil }
        return Int(whole.description)
    }
}
