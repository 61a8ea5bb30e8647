import Core
import FHIR

extension UnitConversion {
    /// Converts a decimal text in JSON's syntax (`72`, `-0.50`, `1.2e3`).
    ///
    /// The text is unchanged if the units have the same size. If only the decimal point moves, all digits are kept,
    /// including zeros at the end. Otherwise the result is exact if it has up to 18 significant digits, and rounded
    /// half to even to 18 digits if it has more (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
    /// - Returns: the number in JSON's grammar; nil if the text is not a JSON number, or if it has more than 1,000
    ///   digits or an exponent beyond ±1,000.
    public func convert(_ text: String) -> String? {
        if let short, let value = ShortDecimal(text) {
            if let powerOfTen {
                if powerOfTen == 0 { return text }
                return value.shifted(by: powerOfTen) ?? Self.shift(text, by: powerOfTen)
            }
            if let result = short.apply(to: value) { return result }
        }
        return convertAtLength(text)
    }

    /// Converts like ``convert(_:)-(String)``, with numbers of any size.
    func convertAtLength(_ text: String) -> String? {
        guard JSONNumber(text: text) != nil,
            let number = ExactNumber(decimal: text, digitLimit: Self.digitLimit, exponentLimit: Self.exponentLimit)
        else { return nil }
        guard let powerOfTen else { return (number * factor + offset).text(digits: ExactDecimal.maximumDigits) }
        if powerOfTen == 0 { return text }
        let isPlain = !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        return isPlain
            ? Self.shift(text, by: powerOfTen) : (number * factor).text(digits: Self.digitLimit)
    }

    /// Maximum number of digits of a value. Measurements do not have more.
    private static let digitLimit = 1_000
    /// Maximum magnitude of the exponent of a value.
    private static let exponentLimit = 1_000

    /// Moves the decimal point. Writes an exponent if many zeros would be necessary.
    private static func shift(_ text: String, by exponent: Int) -> String {
        guard exponent.magnitude > longestShift else { return ExactDecimal.shift(text, by: exponent) }
        return "\(text)e\(exponent)"
    }

    /// Maximum shift without an exponent. Prefixes range from femto to tera; units that are further apart are not in
    /// use.
    private static let longestShift = 30
}

/// A decimal number in one machine word: `± digits · 10^exponent`, with up to 18 digits.
struct ShortDecimal {
    let isNegative: Bool
    let digits: UInt64
    let exponent: Int

    /// Nil if the text is longer, has an exponent, or is not in JSON's grammar.
    init?(_ text: String) {
        var text = text
        let read: (isNegative: Bool, digits: UInt64, exponent: Int)? = text.withUTF8 { bytes in
            var index = 0
            let isNegative = bytes.first == UInt8(ascii: "-")
            if isNegative { index = 1 }
            let first = index
            var digits: UInt64 = 0
            var point: Int?
            guard bytes.count - first <= 19 else { return nil }
            while index < bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: ".") {
                    guard point == nil, index > first else { return nil }
                    point = index
                } else {
                    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                    // No digit may follow a leading zero.
                    if index == first + 1, bytes[first] == UInt8(ascii: "0"), point == nil { return nil }
                    digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
                }
                index += 1
            }
            guard index > first, point != index - 1, index - first - (point == nil ? 0 : 1) <= 18 else { return nil }
            return (isNegative, digits, point.map { $0 - index + 1 } ?? 0)
        }
        guard let read else { return nil }
        (isNegative, digits, exponent) = read
    }

    /// Returns the text with the decimal point moved and all digits kept; nil for zero and if many zeros would be
    /// necessary.
    func shifted(by count: Int) -> String? {
        guard digits != 0, count.magnitude <= 3, exponent > -12 else { return nil }
        return ExactNumber.text(isNegative: isNegative, digits: String(digits), exponent: exponent + count)
    }
}

/// A factor `multiply / divide · 10^exponent` in machine words. All units in common use have such a factor.
struct ShortFactor: Sendable, Hashable {
    private let multiply: UInt64
    private let divide: UInt64
    private let exponent: Int

    init?(_ factor: ExactNumber) {
        guard let multiply = factor.numerator.word, let divide = factor.denominator.word else { return nil }
        self.multiply = multiply
        self.divide = divide
        exponent = factor.exponent
    }

    /// Returns the product, rounded half to even to 18 digits; nil if two words are not enough to compute it.
    func apply(to value: ShortDecimal) -> String? {
        guard value.digits != 0 else { return "0" }
        let product = value.digits.multipliedFullWidth(by: multiply)
        guard let quotient = quotient(product, of: value) else { return nil }
        var digits = quotient.digits
        var power = quotient.power + value.exponent + exponent
        if digits < Self.limit {
            let rest = quotient.divisor - quotient.remainder
            if quotient.remainder > rest || (quotient.remainder == rest && digits % 2 == 1) { digits += 1 }
        } else {
            var isExact = quotient.remainder == 0
            var last: UInt64 = 0
            while digits >= Self.limit {
                isExact = isExact && last == 0
                (digits, last) = digits.quotientAndRemainder(dividingBy: 10)
                power += 1
            }
            if last > 5 || (last == 5 && (!isExact || digits % 2 == 1)) { digits += 1 }
        }
        while digits % 10 == 0 {
            digits /= 10
            power += 1
        }
        return ExactNumber.text(isNegative: value.isNegative, digits: String(digits), exponent: power)
    }

    /// A quotient of words: `digits · 10^power`, with the remainder and its divisor.
    private typealias Quotient = (digits: UInt64, remainder: UInt64, divisor: UInt64, power: Int)

    /// Divides so that the quotient has at least 18 digits or is exact; nil if the divisor would overflow.
    private func quotient(_ product: (high: UInt64, low: UInt64), of value: ShortDecimal) -> Quotient? {
        var divisor = divide
        var dividend = product
        var power = 0
        if product.high == 0 {
            if divide == 1 { return (product.low, 0, 1, 0) }
            let decimals = max(0, ExactDecimal.maximumDigits - Self.length(product.low) + Self.length(divide))
            guard decimals < Self.powers.count else { return nil }
            dividend = product.low.multipliedFullWidth(by: Self.powers[decimals])
            power = -decimals
        } else {
            let length = Self.length(value.digits) + Self.length(multiply) - Self.length(divide)
            power = max(0, length - ExactDecimal.maximumDigits - 1)
            guard power < Self.powers.count, Self.multiply(&divisor, by: Self.powers[power]) else { return nil }
            while product.high >= divisor {
                guard Self.multiply(&divisor, by: 10) else { return nil }
                power += 1
            }
        }
        guard dividend.high < divisor else { return nil }
        let (quotient, remainder) = divisor.dividingFullWidth(dividend)
        guard remainder == 0 || quotient >= Self.limit / 10 else { return nil }
        return (quotient, remainder, divisor, power)
    }

    /// Multiplies. Returns false if the product overflows.
    private static func multiply(_ number: inout UInt64, by factor: UInt64) -> Bool {
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        number = product
        return !overflow
    }

    /// The smallest number with more than ``ExactDecimal/maximumDigits`` digits.
    private static let limit = powers[ExactDecimal.maximumDigits]

    private static func length(_ number: UInt64) -> Int {
        var count = 1
        while count < powers.count, number >= powers[count] { count += 1 }
        return count
    }

    /// The powers of ten that fit into a word.
    private static let powers: [UInt64] = (0...19).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}
