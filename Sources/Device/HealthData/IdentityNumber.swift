import Foundation

/// The part of a number that the identity of a sample contains.
///
/// Apple's exports write six significant digits, in the unit that the person chose in the Health app. The same value is
/// therefore `0.5` in miles, `804.672` in metres and `6.10582` instead of 6.105823… in mmol/L. The identity contains
/// the value in the unit of the table, rounded to ``digits`` significant digits: both forms agree there. Temperatures
/// have a zero that depends on the scale, so they are rounded to ``decimals`` decimal places instead. A whole number of
/// things that are counted has no other form and is not rounded.
///
/// Two forms of one value can be on both sides of a rounding boundary. A value that is so close to a boundary that
/// Apple's rounding can have moved it across has an ``alternate``.
struct IdentityNumber: Sendable, Hashable {
    /// The rounded number, without an exponent and without trailing zeros.
    let text: String
    /// The text on the other side of the boundary; nil for a value that is not close to one.
    let alternate: String?

    /// Significant digits of a value.
    static let digits = 4
    /// Decimal places of a temperature.
    static let decimals = 2

    /// The rule by which a number is rounded.
    enum Rule {
        /// To significant digits; a whole number of things that are counted is not rounded.
        case significant(Int, isCount: Bool)
        /// To decimal places.
        case decimal(Int)
    }

    /// - Parameters:
    ///   - number: a number in JSON's grammar.
    ///   - exponent: the power of ten by which the number is multiplied before it is rounded.
    init(_ number: String, _ rule: Rule, shiftedBy exponent: Int = 0) {
        if exponent == 0, let short = Self.short(number, rule) {
            text = short
            alternate = nil
            return
        }
        var digits = Digits(number)
        digits.point += exponent
        (text, alternate) = digits.rounded(rule)
    }

    /// Returns the number itself if rounding does not change it: few digits and no unnecessary zeros.
    private static func short(_ number: String, _ rule: Rule) -> String? {
        let limit: Int
        switch rule {
        case .significant(let digits, let isCount): limit = isCount ? 18 : digits
        case .decimal: return nil
        }
        var number = number
        return number.withUTF8 { bytes -> Bool in
            guard let first = bytes.first, let last = bytes.last, (0x31...0x39).contains(first), bytes.count <= limit
            else { return bytes.count == 1 && bytes[0] == 0x30 }
            guard let point = bytes.firstIndex(of: 0x2E) else {
                return bytes.allSatisfy { (0x30...0x39).contains($0) }
            }
            return last != 0x30 && last != 0x2E && bytes.count <= IdentityNumber.digits + 1
                && bytes.indices.allSatisfy { $0 == point || (0x30...0x39).contains(bytes[$0]) }
        } ? number : nil
    }

    /// The significant digits of a number: 0.d₁d₂d₃… · 10^point.
    private struct Digits {
        private var isNegative = false
        private var digits: [UInt8] = []
        var point = 0

        init(_ text: String) {
            var hasPoint = false
            var exponent = ""
            var isExponent = false
            for byte in text.utf8 {
                switch byte {
                case 0x2D where !isExponent: isNegative = true
                case 0x2E: hasPoint = true
                case 0x65, 0x45: isExponent = true
                case 0x30...0x39 where !isExponent:
                    if digits.isEmpty, byte == 0x30 {
                        if hasPoint { point -= 1 }
                        continue
                    }
                    digits.append(byte - 0x30)
                    if !hasPoint { point += 1 }
                case 0x2B: continue
                default: exponent.unicodeScalars.append(Unicode.Scalar(byte))
                }
            }
            point += Int(exponent) ?? 0
            while digits.last == 0 { digits.removeLast() }
        }

        func rounded(_ rule: Rule) -> (text: String, alternate: String?) {
            guard !digits.isEmpty else { return ("0", nil) }
            let wanted =
                switch rule {
                case .significant(let count, let isCount): isCount && digits.count <= point ? digits.count : count
                case .decimal(let decimals): point + decimals
                }
            guard wanted >= 0 else { return ("0", nil) }
            let kept = min(wanted, 18)
            guard digits.count > kept else { return (render(digits, point), nil) }
            let lower = digits[..<kept].reduce(0) { $0 * 10 + Int($1) }
            var (fraction, weight) = (0.0, 0.1)
            for digit in digits[kept...].prefix(9) {
                (fraction, weight) = (fraction + Double(digit) * weight, weight / 10)
            }
            let isUp = digits[kept] >= 5
            func text(of whole: Int) -> String {
                let digits = whole == 0 ? [] : String(whole).utf8.map { $0 - 0x30 }
                return render(digits, point - kept + digits.count)
            }
            let isClose = abs(fraction - 0.5) <= rule.tolerance(of: lower)
            return (text(of: isUp ? lower + 1 : lower), isClose ? text(of: isUp ? lower : lower + 1) : nil)
        }

        private func render(_ digits: [UInt8], _ point: Int) -> String {
            var digits = digits[...]
            while digits.last == 0 { digits.removeLast() }
            guard !digits.isEmpty else { return "0" }
            var bytes: [UInt8] = isNegative ? [0x2D] : []
            func put(_ some: ArraySlice<UInt8>) { bytes.append(contentsOf: some.map { $0 + 0x30 }) }
            if point <= 0 {
                bytes += [0x30, 0x2E] + Array(repeating: 0x30, count: min(-point, 64))
                put(digits)
            } else if digits.count <= point {
                put(digits)
                bytes += Array(repeating: 0x30, count: min(point - digits.count, 64))
            } else {
                put(digits.prefix(point))
                bytes.append(0x2E)
                put(digits.dropFirst(point))
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension IdentityNumber.Rule {
    /// The distance from a boundary within which Apple's rounding can move a value across it, in units of the last
    /// digit that is kept.
    ///
    /// Each of two forms has an error of up to half a unit of the sixth digit, so the two differ by up to 10⁻⁵ of the
    /// value. A temperature in Fahrenheit with three digits before the point has an error of up to 0.0003 °C.
    fileprivate func tolerance(of value: Int) -> Double {
        switch self {
        case .significant: max(Double(value) * 1.1e-5, 1e-6)
        case .decimal: 0.04
        }
    }
}

extension HealthQuantity {
    /// Returns the value for the identity of a sample, in HealthKit's unit of the measure.
    func identity(as measure: HealthMeasure) -> IdentityNumber {
        let unit = measure.healthKitUnit.text
        if unit == "degC" { return IdentityNumber(number.text, .decimal(IdentityNumber.decimals)) }
        return IdentityNumber(
            number.text, .significant(IdentityNumber.digits, isCount: unit == "count"),
            shiftedBy: measure.scale == 100 ? -2 : 0)
    }
}
