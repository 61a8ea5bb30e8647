import Core
import Foundation

/// The way from values in one HealthKit unit to values in another: `(value * multiply + add) / divide`, exactly.
///
///     let conversion = try HealthKitUnit("degF").conversion(to: HealthKitUnit("degC"))
///     conversion?.convert("98.6")     // "37"
///
/// Factors are rational numbers; no floating point number stands in the way of a decimal text. Between `deg` and `rad`
/// π counts with 36 digits.
public struct UnitConversion: Sendable, Hashable {
    /// The factor that a value is multiplied with, in lowest terms; positive.
    let factor: ExactNumber
    /// The offset that is added to the product, in lowest terms; zero but for temperatures.
    let offset: ExactNumber
    private let linear: FloatingForm
    /// The factor in machine words, where they hold it and nothing is added.
    let short: ShortFactor?

    /// The three numbers of ``convert(_:)-(Double)``.
    private struct FloatingForm: Sendable, Hashable {
        let multiply: Double
        let add: Double
        let divide: Double

        init(_ factor: ExactNumber, _ offset: ExactNumber) {
            // Whole numbers, since decimal fractions would be rounded before they are used; unless they are huge.
            let places = max(0, -factor.exponent, -offset.exponent)
            let isHuge = places > 100 || factor.exponent > 100
            let scale = isHuge ? .one : divisor(factor, offset) * ExactNumber(numerator: .one, exponent: places)
            multiply = (factor * scale).double
            add = (offset * scale).double
            divide = scale.double
        }
    }

    init(factor: ExactNumber, offset: ExactNumber = .zero) {
        let (factor, offset) = (factor.reduced, offset.reduced)
        self.factor = factor
        self.offset = offset
        short = offset.isZero ? ShortFactor(factor) : nil
        linear = FloatingForm(factor, offset)
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
    /// they have more than the 38 digits of a `Decimal`, which takes high powers such as `in^12`.
    public var parts: (multiply: Decimal, add: Decimal, divide: Decimal)? {
        let divide = Self.divisor(factor, offset)
        guard let multiply = (factor * divide).exactDecimal, let add = (offset * divide).exactDecimal,
            let divisor = divide.exactDecimal
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
    private static func divisor(_ factor: ExactNumber, _ offset: ExactNumber) -> ExactNumber {
        let (first, second) = (factor.denominator, offset.denominator)
        if second.isOne || first == second { return ExactNumber(numerator: first) }
        let common = Natural.greatestCommonDivisor(first, second)
        return ExactNumber(numerator: first * second.quotientAndRemainder(dividingBy: common).quotient)
    }
}

extension UnitConversion {
    /// Converts a floating point number; rounded as floating point numbers are.
    public func convert(_ value: Double) -> Double {
        (value * linear.multiply + linear.add) / linear.divide
    }
}
