import FHIR

extension UnitConversion {
    /// Converts a decimal text as JSON writes it (`72`, `-0.50`, `1.2e3`).
    ///
    /// The text stays as it is where the units are of equal size. Where only the decimal point moves, every digit
    /// stays, zeros at the end too. Else the result is exact where 18 significant digits hold it, and rounded half to
    /// even to as many where not (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
    /// - Returns: the number in JSON's grammar; nil where the text is no number in it, or has more than 1,000 digits or
    ///   an exponent beyond ±1,000.
    public func convert(_ text: String) -> String? {
        if let short, let value = ShortDecimal(text) {
            if let powerOfTen {
                return powerOfTen == 0 ? text : Self.shift(text, by: powerOfTen)
            }
            if let result = short.apply(to: value) { return result }
        }
        return convertAtLength(text)
    }

    /// As ``convert(_:)-(String)``, by numbers of any size.
    func convertAtLength(_ text: String) -> String? {
        guard JSONNumber(text: text) != nil, let number = ExactRatio(decimal: text) else { return nil }
        guard let powerOfTen else { return (number * factor + offset).text(digits: ExactDecimal.maximumDigits) }
        if powerOfTen == 0 { return text }
        let isPlain = !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        return isPlain
            ? Self.shift(text, by: powerOfTen) : (number * factor).text(digits: ExactRatio.digitLimit)
    }

    /// Moves the decimal point, with an exponent where that would take many zeros.
    private static func shift(_ text: String, by places: Int) -> String {
        guard places.magnitude > longestShift else { return ExactDecimal.shift(text, by: places) }
        return "\(text)e\(places)"
    }

    /// Prefixes reach from femto to tera; units that are further apart are none that people write.
    private static let longestShift = 30
}

/// A decimal number of one machine word: `± digits · 10^exponent`, with at most 18 digits.
struct ShortDecimal {
    let isNegative: Bool
    let digits: UInt64
    let exponent: Int

    /// Nil where the text is longer, has an exponent, or is not in JSON's grammar.
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
                    // A zero at the start stands alone.
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
}

/// A factor `multiply / divide · 10^exponent` of machine words: that of every unit people write.
struct ShortFactor: Sendable, Hashable {
    private let multiply: UInt64
    private let divide: UInt64
    private let exponent: Int

    init?(_ factor: ExactRatio) {
        guard let multiply = factor.numerator.word, let divide = factor.denominator.word else { return nil }
        self.multiply = multiply
        self.divide = divide
        exponent = factor.exponent
    }

    /// The product, rounded half to even to 18 digits; nil where two words do not suffice to find it.
    func apply(to value: ShortDecimal) -> String? {
        guard value.digits != 0 else { return "0" }
        let product = value.digits.multipliedFullWidth(by: multiply)
        guard product.high == 0 else { return nil }
        var digits = product.low
        var power = value.exponent + exponent
        var remainder: UInt64 = 0
        if divide > 1 {
            let places = Self.missingPlaces(digits, over: divide)
            guard places < Self.powers.count else { return nil }
            let dividend = digits.multipliedFullWidth(by: Self.powers[places])
            guard dividend.high < divide else { return nil }
            (digits, remainder) = divide.dividingFullWidth(dividend)
            power -= places
        }
        var isExact = remainder == 0
        if digits < Self.limit {
            // The divisor is odd, so that there is no half.
            if remainder > divide / 2 { digits += 1 }
        } else {
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
        return ExactRatio.text(isNegative: value.isNegative, digits: String(digits), exponent: power)
    }

    /// The first number of more than ``ExactDecimal/maximumDigits`` digits.
    private static let limit = powers[ExactDecimal.maximumDigits]

    /// How many zeros bring a quotient to 18 digits or 19, which a word holds.
    private static func missingPlaces(_ digits: UInt64, over divisor: UInt64) -> Int {
        max(0, ExactDecimal.maximumDigits - length(digits) + length(divisor))
    }

    private static func length(_ number: UInt64) -> Int {
        var count = 1
        while count < powers.count, number >= powers[count] { count += 1 }
        return count
    }

    /// The powers of ten that fit into a word.
    private static let powers: [UInt64] = (0...19).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}
