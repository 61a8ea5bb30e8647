/// A rational number times a power of ten, without rounding: `± numerator / denominator · 10^exponent`.
///
/// The powers of ten stand apart because prefixes and decimal fractions are made of them: most factors of UCUM then
/// need one word, and multiplying by a prefix adds two integers.
struct ExactNumber: Sendable {
    private(set) var isNegative: Bool
    private(set) var numerator: Natural
    private(set) var denominator: Natural
    private(set) var exponent: Int

    static let zero = ExactNumber(numerator: .zero)
    static let one = ExactNumber(numerator: .one)

    init(isNegative: Bool = false, numerator: Natural, denominator: Natural = .one, exponent: Int = 0) {
        self.isNegative = isNegative && !numerator.isZero
        self.numerator = numerator
        self.denominator = denominator
        self.exponent = exponent
    }

    init(_ integer: Int) {
        self.init(isNegative: integer < 0, numerator: Natural(UInt64(integer.magnitude)))
    }

    /// A decimal number as `-12.5e-3`; nil where `text` is none or its exponent is beyond 9,999.
    init?(decimal text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes = bytes.dropFirst() }
        var exponent = 0
        if let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard mark + 6 >= bytes.endIndex, let written = Int(String(decoding: bytes[(mark + 1)...], as: UTF8.self))
            else { return nil }
            exponent = written
            bytes = bytes[..<mark]
        }
        if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= bytes.endIndex - point - 1
            bytes.remove(at: point)
        }
        while bytes.count > 1, bytes.last == UInt8(ascii: "0") {
            bytes.removeLast()
            exponent += 1
        }
        guard let digits = Natural(digits: bytes) else { return nil }
        self.init(isNegative: isNegative, numerator: digits, exponent: digits.isZero ? 0 : exponent)
    }

    var isZero: Bool { numerator.isZero }

    /// Whether the number is small enough to go on with. Every number that is kept must be; the bound keeps a hostile
    /// expression from filling memory, and is far beyond any unit that measures something.
    var isBounded: Bool {
        numerator.bitWidth <= 8_192 && denominator.bitWidth <= 8_192 && exponent.magnitude <= 4_000
    }
}

extension ExactNumber {
    static func * (left: ExactNumber, right: ExactNumber) -> ExactNumber {
        ExactNumber(
            isNegative: left.isNegative != right.isNegative,
            numerator: left.numerator * right.numerator,
            denominator: left.denominator * right.denominator,
            exponent: left.exponent + right.exponent)
    }

    /// The quotient; `right` must not be zero.
    static func / (left: ExactNumber, right: ExactNumber) -> ExactNumber {
        ExactNumber(
            isNegative: left.isNegative != right.isNegative,
            numerator: left.numerator * right.denominator,
            denominator: left.denominator * right.numerator,
            exponent: left.exponent - right.exponent)
    }

    static func + (left: ExactNumber, right: ExactNumber) -> ExactNumber {
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

    static func - (left: ExactNumber, right: ExactNumber) -> ExactNumber { left + right.negated }

    var negated: ExactNumber {
        ExactNumber(isNegative: !isNegative, numerator: numerator, denominator: denominator, exponent: exponent)
    }

    /// The number raised to an integer power; a negative power of zero is not defined.
    func power(_ power: Int) -> ExactNumber {
        let raised = ExactNumber(
            isNegative: isNegative && power % 2 != 0,
            numerator: numerator.power(abs(power)),
            denominator: denominator.power(abs(power)),
            exponent: exponent * abs(power))
        return power < 0 ? .one / raised : raised
    }

    /// The same number with the fraction cancelled and powers of ten in the exponent.
    var reduced: ExactNumber {
        if numerator.isOne, denominator.isOne { return self }
        if isZero { return .zero }
        let divisor = Natural.greatestCommonDivisor(numerator, denominator)
        var result = self
        if !divisor.isOne {
            result.numerator = numerator.quotientAndRemainder(dividingBy: divisor).quotient
            result.denominator = denominator.quotientAndRemainder(dividingBy: divisor).quotient
        }
        result.exponent += result.numerator.removeTens()
        result.exponent -= result.denominator.removeTens()
        return result
    }
}

extension ExactNumber: Comparable {
    static func == (left: ExactNumber, right: ExactNumber) -> Bool { (left - right).isZero }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool { (left - right).isNegative }
}
