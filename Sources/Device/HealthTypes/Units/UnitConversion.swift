import Core
import Foundation

/// An exact conversion from one HealthKit unit to another: `(value * multiply + add) / divide`.
///
///     let conversion = try HealthKitUnit("degF").conversion(to: HealthKitUnit("degC"))
///     conversion?.convert("98.6")     // "37"
///
/// Factors are rational numbers; a decimal text is never converted to floating point. Between `deg` and `rad`, π has 36
/// digits.
public struct UnitConversion: Sendable, Hashable {
    /// The factor of the value, in lowest terms; positive.
    let factor: ExactNumber
    /// The offset that is added to the product, in lowest terms; zero except for temperatures.
    let offset: ExactNumber
    private let linear: FloatingForm
    /// The factor in machine words, if it fits and there is no offset.
    let short: ShortFactor?

    /// The three numbers for ``convert(_:)-(Double)``.
    private struct FloatingForm: Sendable, Hashable {
        let multiply: Double
        let add: Double
        let divide: Double

        init(_ factor: ExactNumber, _ offset: ExactNumber) {
            // Whole numbers, unless they are huge, because decimal fractions would be rounded before they are used.
            let decimals = max(0, -factor.exponent, -offset.exponent)
            let isHuge = decimals > 100 || factor.exponent > 100
            let scale = isHuge ? .one : divisor(factor, offset) * ExactNumber(numerator: .one, exponent: decimals)
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

    /// Whether values are unchanged, as from `Cal` to `kcal`, or from `%` to `count`.
    public var isIdentity: Bool { powerOfTen == 0 }

    /// The power of ten of the factor: 3 from `kg` to `g`. Nil if the conversion does more than move the decimal point.
    public var powerOfTen: Int? { offset.isZero ? factor.powerOfTen : nil }

    /// Whether the conversion has an offset, as between `degF` and `degC`.
    public var hasOffset: Bool { !offset.isZero }

    /// The parts of `(value * multiply + add) / divide`, without loss; `divide` is a positive whole number. Nil if they
    /// have more than the 38 digits of a `Decimal`, as with high powers such as `in^12`.
    public var parts: (multiply: Decimal, add: Decimal, divide: Decimal)? {
        let divide = Self.divisor(factor, offset)
        guard let multiply = (factor * divide).exactDecimal, let add = (offset * divide).exactDecimal,
            let divisor = divide.exactDecimal
        else { return nil }
        return (multiply, add, divisor)
    }

    /// The conversion in the opposite direction.
    public var inverse: UnitConversion {
        let factor = .one / factor
        return UnitConversion(factor: factor, offset: (offset * factor).negated)
    }

    /// Returns this conversion followed by another.
    public func followed(by next: UnitConversion) -> UnitConversion {
        UnitConversion(factor: factor * next.factor, offset: offset * next.factor + next.offset)
    }

    /// Returns the smallest whole number that makes both parts decimal fractions.
    private static func divisor(_ factor: ExactNumber, _ offset: ExactNumber) -> ExactNumber {
        let (first, second) = (factor.denominator, offset.denominator)
        if second.isOne || first == second { return ExactNumber(numerator: first) }
        let common = Natural.greatestCommonDivisor(first, second)
        return ExactNumber(numerator: first * second.quotientAndRemainder(dividingBy: common).quotient)
    }
}

extension UnitConversion {
    /// Converts a floating point number, with floating point rounding.
    public func convert(_ value: Double) -> Double {
        (value * linear.multiply + linear.add) / linear.divide
    }
}
