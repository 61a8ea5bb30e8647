import Core
import Foundation

extension UCUMUnit {
    /// Converts a value in this unit into another unit.
    ///
    /// The factors of UCUM are rational numbers, and they are multiplied without rounding. Only the result is rounded,
    /// half to even, where it does not fit into 38 significant digits (fewer below 10^-90, since a `Decimal` ends at
    /// the 128th decimal place). Interval scales (`Cel`, `[degF]`, `[degRe]`) are exact in the same way. Logarithmic
    /// scales and tangents are exact for whole powers of their base (`30 dB` is `1000`), else as precise as `Double`,
    /// about 15 digits.
    /// - Throws: `not-comparable` for units of different dimensions, `special-unit` where a special unit stands in a
    ///   product, `not-a-number` for NaN, `out-of-range` where there is no result or a `Decimal` cannot hold it.
    public func convert(_ value: Decimal, to other: UCUMUnit) throws(UCUMError) -> Decimal {
        if code == other.code, value.isFinite { return value }
        try checkComparable(to: other)
        let base = try baseValue(value)
        guard let result = other.value(ofBase: base)?.decimal else { throw Self.outOfRange }
        return result
    }

    /// The value in base units, and the product of base units that it is in: 1 `[in_i]` is 0.0254 `m`, and 1 `N` is
    /// 1000 `m.s-2.g`. Base units stand in the order m, s, g, rad, K, C, cd, arbitrary units behind them; a pure
    /// number has the unit `1`. Rounded as ``convert(_:to:)`` does.
    /// - Throws: as ``convert(_:to:)``.
    public func canonical(_ value: Decimal) throws(UCUMError) -> (value: Decimal, unit: UCUMUnit) {
        guard let result = try baseValue(value).decimal else { throw Self.outOfRange }
        return (result, baseUnit)
    }

    /// The product of base units that the unit is measured in, as ``canonical(_:)`` gives it.
    public var baseUnit: UCUMUnit {
        UCUMUnit(
            code: meaning.dimension.description,
            meaning: UnitMeaning(factor: .one, dimension: meaning.dimension))
    }

    /// The exact value in base units.
    func baseValue(_ value: Decimal) throws(UCUMError) -> ExactNumber {
        guard let number = ExactNumber(value) else {
            throw UCUMError(code: "not-a-number", offset: nil, message: "The value is not a number.")
        }
        return try baseValue(number)
    }

    /// The exact value in base units of an exact value in this unit.
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

    /// The value in this unit of one in base units; nil where there is none.
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
            message: "\(code) and \(other.code) do not measure the same: "
                + "the dimension of one is \(dimension), of the other \(other.dimension).")
    }

    private var specialInProduct: UCUMError {
        UCUMError(
            code: "special-unit", offset: nil,
            message: "\(code) has a special unit in a product or under an exponent, where its values cannot be "
                + "converted; use the unit it corresponds to, as K for Cel.")
    }

    static let outOfRange = UCUMError(
        code: "out-of-range", offset: nil,
        message: "There is no such value in the other unit, or it is too large or too small to be written down.")
}
