import Core
import Foundation

extension UCUMUnit {
    /// Converts a value in this unit into another unit.
    ///
    /// The factors of UCUM are rational numbers, which are multiplied without rounding. Only the result is rounded,
    /// half to even, if it does not fit in 38 significant digits (fewer below 10^-90, because a `Decimal` has a maximum
    /// of 128 digits after the decimal point). Interval scales (`Cel`, `[degF]`, `[degRe]`) are exact in the same way.
    /// Logarithmic scales and tangents are exact for integer powers of their base (`30 dB` is `1000`); otherwise they
    /// have the precision of `Double`, about 15 digits.
    /// - Throws: `not-comparable` for units of different dimensions, `special-unit` if a product contains a special
    ///   unit, `not-a-number` for NaN, `out-of-range` if there is no result or a `Decimal` cannot represent it.
    public func convert(_ value: Decimal, to other: UCUMUnit) throws(UCUMError) -> Decimal {
        if code == other.code, value.isFinite { return value }
        try checkComparable(to: other)
        let base = try baseValue(value)
        guard let result = other.value(ofBase: base)?.decimal else { throw Self.outOfRange }
        return result
    }

    /// Returns the value in base units and the product of these base units: 1 `[in_i]` is 0.0254 `m`, and 1 `N` is 1000
    /// `m.s-2.g`. Base units are in the order m, s, g, rad, K, C, cd, followed by arbitrary units; a pure number has
    /// the unit `1`. The value is rounded as by ``convert(_:to:)``.
    /// - Throws: as ``convert(_:to:)``.
    public func canonical(_ value: Decimal) throws(UCUMError) -> (value: Decimal, unit: UCUMUnit) {
        guard let result = try baseValue(value).decimal else { throw Self.outOfRange }
        return (result, baseUnit)
    }

    /// The product of base units of the unit, as in ``canonical(_:)``.
    public var baseUnit: UCUMUnit {
        UCUMUnit(
            code: meaning.dimension.description,
            meaning: UnitMeaning(factor: .one, dimension: meaning.dimension))
    }

    /// Returns the exact value in base units.
    func baseValue(_ value: Decimal) throws(UCUMError) -> ExactNumber {
        guard let number = ExactNumber(value) else {
            throw UCUMError(code: "not-a-number", offset: nil, message: "The value is not a number.")
        }
        return try baseValue(number)
    }

    /// Returns the exact value in base units of an exact value in this unit.
    package func baseValue(_ number: ExactNumber) throws(UCUMError) -> ExactNumber {
        switch meaning.scale {
        case .ratio: return number * meaning.factor
        case .none: throw specialInProduct
        case .special(let atom):
            guard let special = UCUMTable.shared.atoms[atom].special,
                let proper = special.function.properValue(number * meaning.factor)
            else { throw Self.outOfRange }
            return proper * special.unit.factor
        }
    }

    /// Returns the value in this unit of a value in base units; nil if there is none.
    func value(ofBase base: ExactNumber) -> ExactNumber? {
        switch meaning.scale {
        case .ratio: return base / meaning.factor
        case .none: return nil
        case .special(let atom):
            guard let special = UCUMTable.shared.atoms[atom].special else { return nil }
            return special.function.specialValue(base / special.unit.factor).map { $0 / meaning.factor }
        }
    }

    func checkComparable(to other: UCUMUnit) throws(UCUMError) {
        if isComparable(to: other) { return }
        for unit in [self, other] where unit.meaning.scale == .none { throw unit.specialInProduct }
        throw UCUMError(
            code: "not-comparable", offset: nil,
            message: "\(code) and \(other.code) do not measure the same dimension: "
                + "the dimension of one is \(dimension), of the other \(other.dimension).")
    }

    private var specialInProduct: UCUMError {
        UCUMError(
            code: "special-unit", offset: nil,
            message: "\(code) has a special unit in a product or under an exponent, where its values cannot be "
                + "converted; use the corresponding proper unit, such as K for Cel.")
    }

    static let outOfRange = UCUMError(
        code: "out-of-range", offset: nil,
        message: "There is no such value in the other unit, or it is too large or too small for a decimal number.")
}
