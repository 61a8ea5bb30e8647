/// A rational number times a power of ten, without rounding: `± numerator / denominator · 10^exponent`.
///
/// The power of ten is separate because prefixes and decimal fractions are made of powers of ten: nearly all factors of
/// UCUM then need one word, and multiplying by a prefix adds two integers.
package struct ExactNumber: Sendable {
    package private(set) var isNegative: Bool
    package private(set) var numerator: Natural
    package private(set) var denominator: Natural
    package private(set) var exponent: Int

    package static let zero = ExactNumber(numerator: .zero)
    package static let one = ExactNumber(numerator: .one)

    package init(isNegative: Bool = false, numerator: Natural, denominator: Natural = .one, exponent: Int = 0) {
        self.isNegative = isNegative && !numerator.isZero
        self.numerator = numerator
        self.denominator = denominator
        self.exponent = exponent
    }

    package init(_ integer: Int) {
        self.init(isNegative: integer < 0, numerator: Natural(UInt64(integer.magnitude)))
    }

    /// Reads a decimal number such as `-12.5e-3`; nil if `text` is not one, has more digits than `digitLimit`, or an
    /// exponent outside of `exponentLimit`.
    package init?(decimal text: some StringProtocol, digitLimit: Int = .max, exponentLimit: Int = 9_999) {
        var bytes = Array(text.utf8)[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes = bytes.dropFirst() }
        var exponent = 0
        if let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let written = Int(String(decoding: bytes[(mark + 1)...], as: UTF8.self)),
                (-exponentLimit...exponentLimit).contains(written)
            else { return nil }
            exponent = written
            bytes = bytes[..<mark]
        }
        if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= bytes.endIndex - point - 1
            bytes.remove(at: point)
        }
        guard bytes.count <= digitLimit else { return nil }
        while bytes.count > 1, bytes.last == UInt8(ascii: "0") {
            bytes.removeLast()
            exponent += 1
        }
        guard let digits = Natural(digits: bytes) else { return nil }
        self.init(isNegative: isNegative, numerator: digits, exponent: digits.isZero ? 0 : exponent)
    }

    package var isZero: Bool { numerator.isZero }

    /// Whether the number is small enough for further computation. Every number that is kept must be; the bound keeps a
    /// hostile expression from filling memory, and is far beyond any unit of measurement.
    package var isBounded: Bool {
        numerator.bitWidth <= 8_192 && denominator.bitWidth <= 8_192 && exponent.magnitude <= 4_000
    }
}

extension ExactNumber {
    package static func * (left: ExactNumber, right: ExactNumber) -> ExactNumber {
        ExactNumber(
            isNegative: left.isNegative != right.isNegative,
            numerator: left.numerator * right.numerator,
            denominator: left.denominator * right.denominator,
            exponent: left.exponent + right.exponent)
    }

    /// The quotient; `right` must not be zero.
    package static func / (left: ExactNumber, right: ExactNumber) -> ExactNumber {
        ExactNumber(
            isNegative: left.isNegative != right.isNegative,
            numerator: left.numerator * right.denominator,
            denominator: left.denominator * right.numerator,
            exponent: left.exponent - right.exponent)
    }

    package static func + (left: ExactNumber, right: ExactNumber) -> ExactNumber {
        if right.isZero { return left }
        if left.isZero { return right }
        let exponent = min(left.exponent, right.exponent)
        let first = left.numerator * right.denominator * .powerOfTen(left.exponent - exponent)
        let second = right.numerator * left.denominator * .powerOfTen(right.exponent - exponent)
        let denominator = left.denominator * right.denominator
        if left.isNegative == right.isNegative {
            return ExactNumber(
                isNegative: left.isNegative, numerator: first + second, denominator: denominator, exponent: exponent)
        }
        return first >= second
            ? ExactNumber(
                isNegative: left.isNegative, numerator: first - second, denominator: denominator, exponent: exponent)
            : ExactNumber(
                isNegative: right.isNegative, numerator: second - first, denominator: denominator, exponent: exponent)
    }

    package static func - (left: ExactNumber, right: ExactNumber) -> ExactNumber { left + right.negated }

    package var negated: ExactNumber {
        ExactNumber(isNegative: !isNegative, numerator: numerator, denominator: denominator, exponent: exponent)
    }

    /// The number raised to an integer power; a negative power of zero is not defined.
    package func power(_ power: Int) -> ExactNumber {
        let raised = ExactNumber(
            isNegative: isNegative && power % 2 != 0,
            numerator: numerator.power(abs(power)),
            denominator: denominator.power(abs(power)),
            exponent: exponent * abs(power))
        return power < 0 ? .one / raised : raised
    }

    /// The same number in lowest terms: the fraction is reduced, the denominator has no factor 2 or 5, and the
    /// numerator has no factor 10. Equal numbers then have equal parts, and a number with the denominator 1 is a
    /// decimal fraction.
    package var reduced: ExactNumber {
        if numerator.isOne, denominator.isOne { return self }
        if isZero { return .zero }
        var result = self
        if !denominator.isOne {
            // 1/2 is 5/10, and 1/5 is 2/10.
            let twos = result.denominator.removeFactors(2)
            let fives = result.denominator.removeFactors(5)
            result.numerator = numerator * Natural(5).power(twos) * Natural(2).power(fives)
            result.exponent -= twos + fives
            let divisor = Natural.greatestCommonDivisor(result.numerator, result.denominator)
            if !divisor.isOne {
                result.numerator = result.numerator.quotientAndRemainder(dividingBy: divisor).quotient
                result.denominator = result.denominator.quotientAndRemainder(dividingBy: divisor).quotient
            }
        }
        result.exponent += result.numerator.removeTens()
        return result
    }

    /// The exponent, if the number is a power of ten; otherwise nil.
    package var powerOfTen: Int? {
        let number = reduced
        return number.numerator.isOne && number.denominator.isOne && !isNegative ? number.exponent : nil
    }
}

extension ExactNumber: Comparable, Hashable {
    package static func == (left: ExactNumber, right: ExactNumber) -> Bool { (left - right).isZero }

    package static func < (left: ExactNumber, right: ExactNumber) -> Bool { (left - right).isNegative }

    package func hash(into hasher: inout Hasher) {
        let number = reduced
        hasher.combine(number.isNegative)
        hasher.combine(number.numerator)
        hasher.combine(number.denominator)
        hasher.combine(number.exponent)
    }
}
