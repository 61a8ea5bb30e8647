import Foundation

/// A valid unit of UCUM, the Unified Code for Units of Measure (https://ucum.org/ucum), in its case sensitive form.
///
///     let weight = try UCUMUnit("[lb_av]")
///     try weight.convert(150, to: UCUMUnit("kg"))     // 68.0388555
///
/// Every unit of ucum-essence is known, with prefixes, products, quotients, exponents, integer factors, parentheses and
/// annotations. Two units are equal (`==`) if their texts are equal. ``isEquivalent(to:)`` compares their meaning, and
/// ``isComparable(to:)`` decides whether values can be converted.
public struct UCUMUnit: Sendable, Hashable, CustomStringConvertible {
    /// The unit as it was written, annotations included.
    public let code: String
    let meaning: UnitMeaning

    /// Reads a unit.
    /// - Throws: ``UCUMError`` with the fault and its offset. A unit is also refused if it is longer than 1,000 bytes,
    ///   nested deeper than 32, or has exponents beyond ±999 or factors of thousands of digits.
    public init(_ code: String) throws(UCUMError) {
        meaning = try UnitParser.parse(code, table: .shared).meaning
        self.code = code
    }

    init(code: String, meaning: UnitMeaning) {
        self.code = code
        self.meaning = meaning
    }

    /// Whether the text is a unit.
    public static func isValid(_ code: String) -> Bool {
        (try? UCUMUnit(code)) != nil
    }

    /// The dimension of the unit. For a special unit, the dimension of the corresponding proper unit, such as kelvin
    /// for `Cel`.
    public var dimension: UCUMDimension { meaning.dimension }

    /// Whether values in the unit are on a scale of their own, interval or logarithmic, such as `Cel` or `dB`. They are
    /// converted by a function and have no meaning in products.
    public var isSpecial: Bool { meaning.scale != .ratio }

    /// Whether the unit contains an arbitrary unit such as `[iU]`. It is comparable only with units that contain the
    /// same one.
    public var isArbitrary: Bool { !meaning.dimension.arbitraryUnits.isEmpty }

    /// The size of the unit in base units, rounded to 38 significant digits: 0.0254 for `[in_i]`. Nil for special
    /// units, and if a `Decimal` cannot represent it.
    public var magnitude: Decimal? {
        meaning.scale == .ratio ? meaning.factor.decimal : nil
    }

    public var description: String { code }

    public static func == (left: UCUMUnit, right: UCUMUnit) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UCUMUnit {
    /// Whether values in this unit can be converted into the other unit: both have the same dimension, and neither has
    /// a special unit in a product, such as `Cel/min`, unless their texts are equal.
    public func isComparable(to other: UCUMUnit) -> Bool {
        if meaning.scale == .none || other.meaning.scale == .none { return code == other.code }
        return meaning.dimension == other.meaning.dimension
    }

    /// Whether a value has the same meaning in both units, such as `mL` and `cm3`, or `mg{total}` and `mg`.
    public func isEquivalent(to other: UCUMUnit) -> Bool {
        code == other.code
            || (meaning.scale != .none && meaning.scale == other.meaning.scale
                && meaning.dimension == other.meaning.dimension && meaning.factor == other.meaning.factor)
    }
}
