import Foundation

/// A valid unit of UCUM, the Unified Code for Units of Measure (https://ucum.org/ucum), in its case sensitive form.
///
///     let weight = try UCUMUnit("[lb_av]")
///     try weight.convert(150, to: UCUMUnit("kg"))     // 68.0388555
///
/// Every unit of ucum-essence is known, with prefixes, products, quotients, exponents, integer factors, parentheses
/// and annotations. Two units are equal (`==`) when they are written alike; whether they mean the same is said by
/// ``isEquivalent(to:)``, and whether values can be converted by ``isComparable(to:)``.
public struct UCUMUnit: Sendable, Hashable, CustomStringConvertible {
    /// The unit as it was written, annotations included.
    public let code: String
    let meaning: UnitMeaning

    /// Reads a unit.
    /// - Throws: what is wrong with it and where. A unit is refused too when it is longer than 1,000 bytes, nested more
    ///   than 32 deep, or has exponents beyond ±999 or factors of thousands of digits.
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

    /// The dimension of the unit. For a special unit that of the proper unit it corresponds to, as kelvin for `Cel`.
    public var dimension: UCUMDimension { meaning.dimension }

    /// Whether values in the unit are on a scale of their own, interval or logarithmic, as those in `Cel` or `dB`. They
    /// are converted by a function, and have no meaning in products.
    public var isSpecial: Bool { meaning.scale != .ratio }

    /// Whether an arbitrary unit such as `[iU]` is part of the unit; it is comparable only with units made of the same.
    public var isArbitrary: Bool { !meaning.dimension.arbitraryUnits.isEmpty }

    /// How many base units one unit is, rounded to 38 significant digits: 0.0254 for `[in_i]`. Nil for special units,
    /// and where a `Decimal` cannot hold it.
    public var magnitude: Decimal? {
        meaning.scale == .ratio ? meaning.factor.decimal : nil
    }

    public var description: String { code }

    public static func == (left: UCUMUnit, right: UCUMUnit) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UCUMUnit {
    /// Whether values in this unit can be converted into the other: both measure the same dimension, and no special
    /// unit stands in a product, as in `Cel/min`, unless the two are written alike.
    public func isComparable(to other: UCUMUnit) -> Bool {
        if meaning.scale == .none || other.meaning.scale == .none { return code == other.code }
        return meaning.dimension == other.meaning.dimension
    }

    /// Whether a value means the same in both units, as in `mL` and `cm3`, or `mg{total}` and `mg`.
    public func isEquivalent(to other: UCUMUnit) -> Bool {
        code == other.code
            || (meaning.scale != .none && meaning.scale == other.meaning.scale
                && meaning.dimension == other.meaning.dimension && meaning.factor == other.meaning.factor)
    }
}
