import Foundation

/// The way from values in one HealthKit unit to values in another: `(value * multiply + add) / divide`, exactly.
///
///     let conversion = try HealthKitUnit("degF").conversion(to: HealthKitUnit("degC"))
///     conversion?.convert("98.6")     // "37"
///
/// Factors are rational numbers; no floating point number stands in the way of a decimal text. Between `deg` and `rad`
/// π counts with 65 digits.
public struct UnitConversion: Sendable, Hashable {
    /// What a value is multiplied with; positive.
    let factor: ExactRatio
    /// What is added to the product; zero but for temperatures.
    let offset: ExactRatio
    private let linear: FloatingForm

    /// The three numbers of ``convert(_:)-(Double)``.
    private struct FloatingForm: Sendable, Hashable {
        let multiply: Double
        let add: Double
        let divide: Double
    }

    init(factor: ExactRatio, offset: ExactRatio = .zero) {
        self.factor = factor
        self.offset = offset
        let divide = Self.divisor(factor, offset)
        linear = FloatingForm(
            multiply: (factor * divide).double, add: (offset * divide).double, divide: divide.double)
    }

    /// The conversion that changes nothing.
    public static let identity = UnitConversion(factor: .one)

    /// Whether values stay as they are, as from `Cal` to `kcal`, or from `%` to `count`.
    public var isIdentity: Bool { powerOfTen == 0 }

    /// The power of ten that values are multiplied with: 3 from `kg` to `g`. Nil where it takes more than to move the
    /// decimal point.
    public var powerOfTen: Int? { offset.isZero ? factor.powerOfTen : nil }

    /// Whether something is added, as between `degF` and `degC`; else the conversion is a mere factor.
    public var hasOffset: Bool { !offset.isZero }

    /// The parts of `(value * multiply + add) / divide`, without loss; `divide` is a positive whole number. Nil where
    /// they have more than the 38 digits of a `Decimal`, which no unit of a health record has.
    public var parts: (multiply: Decimal, add: Decimal, divide: Decimal)? {
        let divide = Self.divisor(factor, offset)
        guard let multiply = (factor * divide).decimal, let add = (offset * divide).decimal,
            let divisor = divide.decimal
        else { return nil }
        return (multiply, add, divisor)
    }

    /// The way back.
    public var inverse: UnitConversion {
        let factor = .one / factor
        return UnitConversion(factor: factor, offset: (offset * factor).negated)
    }

    /// This conversion, and then another one.
    public func followed(by next: UnitConversion) -> UnitConversion {
        UnitConversion(factor: factor * next.factor, offset: offset * next.factor + next.offset)
    }

    /// The least whole number that makes decimal fractions of both parts.
    private static func divisor(_ factor: ExactRatio, _ offset: ExactRatio) -> ExactRatio {
        let (first, second) = (factor.denominator, offset.denominator)
        if second.isOne || first == second { return ExactRatio(first) }
        let common = WholeNumber.greatestCommonDivisor(first, second)
        return ExactRatio(first * second.quotientAndRemainder(dividingBy: common).quotient)
    }
}

extension UnitConversion {
    /// Converts a decimal text as JSON or an export write it (`72`, `-0.50`, `1.2e3`).
    ///
    /// The text stays as it is where the units are of equal size. Where only the decimal point moves, every digit
    /// stays, zeros at the end too. Else the result is exact where 18 significant digits hold it, and rounded half to
    /// even to as many where not (<https://hl7.org/fhir/R4/datatypes.html#decimal>).
    /// - Returns: the number in JSON's grammar; nil where the text is no number, or one beyond 1,000 digits or 10^±1,000.
    public func convert(_ text: String) -> String? {
        if let powerOfTen {
            guard let number = ExactRatio(decimal: text) else { return nil }
            if powerOfTen == 0 { return text }
            let isPlain = !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
            if isPlain, powerOfTen.magnitude <= 30 { return ExactDecimal.shift(text, by: powerOfTen) }
            return (number * factor).text(digits: ExactRatio.digitLimit)
        }
        return ExactRatio(decimal: text).map { ($0 * factor + offset).text(digits: ExactDecimal.maximumDigits) }
    }

    /// Converts a floating point number; rounded as floating point numbers are.
    public func convert(_ value: Double) -> Double {
        (value * linear.multiply + linear.add) / linear.divide
    }
}
