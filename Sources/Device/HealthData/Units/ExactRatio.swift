/// A rational number without rounding: `± numerator / denominator · 10^exponent`.
///
/// Always in lowest terms: the fraction is cancelled, the denominator has no factor 2 or 5, and the numerator no
/// factor 10. So equal numbers are equal piece by piece, a number with the denominator 1 is a decimal fraction, and a
/// prefix only adds to the exponent.
struct ExactRatio: Sendable, Hashable {
    let isNegative: Bool
    let numerator: WholeNumber
    let denominator: WholeNumber
    let exponent: Int

    static let zero = ExactRatio(.zero)
    static let one = ExactRatio(.one)

    /// A number in lowest terms; the denominator must not be zero.
    init(
        isNegative: Bool = false, _ numerator: WholeNumber, over denominator: WholeNumber = .one, exponent: Int = 0
    ) {
        guard !numerator.isZero else {
            self.isNegative = false
            self.numerator = .zero
            self.denominator = .one
            self.exponent = 0
            return
        }
        var (top, bottom, power) = (numerator, denominator, exponent)
        if !bottom.isOne {
            // 1/2 is 5/10, and 1/5 is 2/10.
            let twos = bottom.removeFactors(2)
            let fives = bottom.removeFactors(5)
            top = top * WholeNumber(5).power(twos) * WholeNumber(2).power(fives)
            power -= twos + fives
            if !bottom.isOne {
                let divisor = WholeNumber.greatestCommonDivisor(top, bottom)
                if !divisor.isOne {
                    top = top.quotientAndRemainder(dividingBy: divisor).quotient
                    bottom = bottom.quotientAndRemainder(dividingBy: divisor).quotient
                }
            }
        }
        if top.isEven { power += top.removeFactors(10) }
        self.isNegative = isNegative
        self.numerator = top
        self.denominator = bottom
        self.exponent = power
    }

    /// The number that a decimal text says: `-12.50e3`. Nil where the text is none, has more digits than
    /// ``digitLimit``, or an exponent beyond ``exponentLimit``.
    init?(decimal text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes = bytes.dropFirst() }
        var exponent = 0
        if let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let written = Int(String(decoding: bytes[(mark + 1)...], as: UTF8.self)),
                written.magnitude <= Self.exponentLimit
            else { return nil }
            exponent = written
            bytes = bytes[..<mark]
        }
        if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= bytes.endIndex - point - 1
            bytes.remove(at: point)
        }
        guard bytes.count <= Self.digitLimit, let digits = WholeNumber(digits: bytes) else { return nil }
        self.init(isNegative: isNegative, digits, exponent: exponent)
    }

    /// More digits than this have no place in a measurement.
    static let digitLimit = 1_000
    /// The greatest power of ten that is read.
    static let exponentLimit: UInt = 1_000

    var isZero: Bool { numerator.isZero }

    /// The power of ten that the number is; nil where it is none.
    var powerOfTen: Int? { numerator.isOne && denominator.isOne && !isNegative ? exponent : nil }
}

extension ExactRatio {
    static func * (left: ExactRatio, right: ExactRatio) -> ExactRatio {
        ExactRatio(
            isNegative: left.isNegative != right.isNegative, left.numerator * right.numerator,
            over: left.denominator * right.denominator, exponent: left.exponent + right.exponent)
    }

    /// The quotient; `right` must not be zero.
    static func / (left: ExactRatio, right: ExactRatio) -> ExactRatio {
        ExactRatio(
            isNegative: left.isNegative != right.isNegative, left.numerator * right.denominator,
            over: left.denominator * right.numerator, exponent: left.exponent - right.exponent)
    }

    static func + (left: ExactRatio, right: ExactRatio) -> ExactRatio {
        if left.isZero { return right }
        if right.isZero { return left }
        let exponent = min(left.exponent, right.exponent)
        let first = left.numerator * right.denominator * .powerOfTen(left.exponent - exponent)
        let second = right.numerator * left.denominator * .powerOfTen(right.exponent - exponent)
        let denominator = left.denominator * right.denominator
        if left.isNegative == right.isNegative {
            return ExactRatio(isNegative: left.isNegative, first + second, over: denominator, exponent: exponent)
        }
        return first >= second
            ? ExactRatio(isNegative: left.isNegative, first - second, over: denominator, exponent: exponent)
            : ExactRatio(isNegative: right.isNegative, second - first, over: denominator, exponent: exponent)
    }

    static func - (left: ExactRatio, right: ExactRatio) -> ExactRatio { left + right.negated }

    var negated: ExactRatio {
        ExactRatio(isNegative: !isNegative, numerator, over: denominator, exponent: exponent)
    }

    /// The number raised to an integer power; zero has no negative one.
    func power(_ power: Int) -> ExactRatio {
        let count = abs(power)
        let raised = ExactRatio(
            isNegative: isNegative && count % 2 == 1, numerator.power(count), over: denominator.power(count),
            exponent: exponent * count)
        return power < 0 ? .one / raised : raised
    }
}
