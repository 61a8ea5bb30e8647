import Core
import Foundation

/// A value with its unit. Two quantities are equal (`==`) if their texts are equal; ``compare(_:)`` compares their
/// meaning.
public struct UCUMQuantity: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let value: Decimal
    /// The unit.
    public let unit: UCUMUnit

    /// Creates a quantity from a number and a unit.
    public init(value: Decimal, unit: UCUMUnit) {
        self.value = value
        self.unit = unit
    }

    /// Creates a quantity from a number and a unit's code.
    /// - Throws: the fault of the unit.
    public init(_ value: Decimal, _ code: String) throws(UCUMError) {
        self.init(value: value, unit: try UCUMUnit(code))
    }

    public var description: String { "\(value) \(unit.code)" }

    /// Returns the same quantity in another unit, by ``UCUMUnit/convert(_:to:)``.
    public func converted(to unit: UCUMUnit) throws(UCUMError) -> UCUMQuantity {
        UCUMQuantity(value: try self.unit.convert(value, to: unit), unit: unit)
    }

    /// Returns the same quantity in base units, by ``UCUMUnit/canonical(_:)``.
    public func canonical() throws(UCUMError) -> UCUMQuantity {
        let (value, unit) = try unit.canonical(value)
        return UCUMQuantity(value: value, unit: unit)
    }

    /// Returns -1, 0 or 1 if this quantity is less than, equal to or greater than the other.
    ///
    /// The exact values in base units are compared, so that nothing is lost to rounding. Values on the same special
    /// scale are compared on that scale: pH 7.35 is less than pH 7.45, although it means more hydrogen ions.
    /// - Throws: `not-comparable`, `special-unit`, `not-a-number` or `out-of-range`, as ``UCUMUnit/convert(_:to:)``.
    public func compare(_ other: UCUMQuantity) throws(UCUMError) -> Int {
        guard let first = ExactNumber(value), let second = ExactNumber(other.value) else {
            throw UCUMError(code: "not-a-number", offset: nil, message: "The value is not a number.")
        }
        return try unit.order(first, to: second, in: other.unit)
    }

    /// Returns the product of two quantities: 2 `cm` times 3 `g` is 6 `cm.g`. The units are not converted into each
    /// other.
    /// - Throws: `special-unit` if a unit is special, `out-of-range` if `Decimal` cannot represent the product.
    public func multiplied(by other: UCUMQuantity) throws(UCUMError) -> UCUMQuantity {
        try combined(with: other, unit: unit.multiplied(by: other.unit)) { $0 * $1 }
    }

    /// Returns the quotient of two quantities: 6 `g` by 3 `dL` is 2 `g/dL`. The value is rounded to 38 significant
    /// digits.
    /// - Throws: as ``multiplied(by:)``, and `out-of-range` for a division by zero.
    public func divided(by other: UCUMQuantity) throws(UCUMError) -> UCUMQuantity {
        guard !other.value.isZero else {
            throw UCUMError(code: "out-of-range", offset: nil, message: "A quantity cannot be divided by zero.")
        }
        return try combined(with: other, unit: unit.divided(by: other.unit)) { $0 / $1 }
    }

    private func combined(
        with other: UCUMQuantity, unit: UCUMUnit, by operation: (ExactNumber, ExactNumber) -> ExactNumber
    ) throws(UCUMError) -> UCUMQuantity {
        guard let first = ExactNumber(value), let second = ExactNumber(other.value) else {
            throw UCUMError(code: "not-a-number", offset: nil, message: "The value is not a number.")
        }
        guard let result = operation(first, second).decimal else { throw UCUMUnit.outOfRange }
        return UCUMQuantity(value: result, unit: unit)
    }
}

extension UCUMUnit {
    /// Compares a number in this unit exactly with a number in another unit. Returns -1, 0 or 1 if it is less, equal or
    /// greater.
    ///
    /// - Throws: as ``UCUMQuantity/compare(_:)``.
    package func order(
        _ first: ExactNumber, to second: ExactNumber, in other: UCUMUnit
    ) throws(UCUMError) -> Int {
        func order(_ left: ExactNumber, _ right: ExactNumber) -> Int { left == right ? 0 : left < right ? -1 : 1 }
        if code == other.code { return order(first, second) }
        try checkComparable(to: other)
        if meaning.scale != .ratio, meaning.scale == other.meaning.scale {
            return order(first * meaning.factor, second * other.meaning.factor)
        }
        return order(try baseValue(first), try other.baseValue(second))
    }
}
