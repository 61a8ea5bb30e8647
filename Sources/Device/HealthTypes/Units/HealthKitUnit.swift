import Core

/// A unit in HealthKit's syntax: `count/min`, `mL/min·kg`, `mmol<180.1558800000541>/L`, `degF`.
///
///     let written = try HealthKitUnit("lb")
///     let wanted = try HealthKitUnit("kg")
///     written.conversion(to: wanted)?.convert("150")     // "68.0388555"
///
/// Units are products of powers. Two units are equal if they have the same factors in any order: `m/s^2` equals
/// `s^-2·m`, but `kcal` does not equal `Cal`: these are two names of the same size.
/// <https://developer.apple.com/documentation/healthkit/hkunit/init(from:)>
public struct HealthKitUnit: Sendable, CustomStringConvertible {
    /// The unit in HealthKit's syntax: factors in the order in which they were read, joined by `·`, factors with
    /// negative exponents after one `/`, and `()` for the unit without factors.
    public let text: String
    /// The factors in the order in which they were read. Each unit occurs once, and no exponent is zero.
    let factors: [Factor]
    private let dimension: HealthKitDimension

    /// A power of a prefixed atom.
    struct Factor: Sendable, Hashable {
        var unit: Part
        var exponent: Int
    }

    /// An atom with its prefix.
    struct Part: Sendable, Hashable {
        /// The index in ``HealthKitAtom/all``.
        let index: Int
        let prefix: HealthKitPrefix
        /// The molar mass, for a mole of a known substance, which measures mass.
        let molarMass: MolarMass?

        var atom: HealthKitAtom { HealthKitAtom.all[index] }
    }

    /// Molar mass in gram per mole. HealthKit writes it with 16 significant digits, and values with the same text are
    /// equal.
    struct MolarMass: Sendable, Hashable {
        let grams: ExactNumber
        let text: String

        init(grams: ExactNumber) {
            self.grams = grams
            let (digits, exponent) = grams.rounded(toDigits: 16)
            text = ExactDecimal.shift(digits.decimalDigits, by: exponent)
        }

        static func == (left: MolarMass, right: MolarMass) -> Bool { left.text == right.text }

        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    /// Parses a unit string.
    ///
    /// `·`, `*` and `.` multiply. One `/` divides by everything that follows. `1/x` is a reciprocal. `^n` is a power,
    /// whose exponent may be negative. Parentheses contain products. An empty text and `()` are the unit without
    /// factors.
    /// - Throws: the fault and its offset. A text is also refused if it is longer than 256 bytes, nested more than 32
    ///   levels, or if its exponents add up to more than 100.
    public init(_ text: String) throws(HealthKitUnitError) {
        self.init(factors: try HealthKitUnitParser.parse(text))
        // `text` has a middle dot, which takes more bytes than `.`, and must be within the limit to be parsed again.
        guard self.text.utf8.count <= HealthKitUnitLimit.length else { throw .tooLong }
    }

    init(factors: [Factor]) {
        self.factors = factors
        var dimension = HealthKitDimension()
        for factor in factors {
            if factor.unit.molarMass != nil {
                dimension.multiplyMass(exponent: factor.exponent)
            } else {
                dimension.multiply(factor.unit.atom, exponent: factor.exponent)
            }
        }
        self.dimension = dimension
        text = Self.render(factors)
    }

    /// A number of things, without a dimension.
    public static let count = HealthKitUnit(symbol: "count")
    /// HealthKit's percent, which is the fraction: its 0.97 is 97 % elsewhere.
    public static let percent = HealthKitUnit(symbol: "%")

    private init(symbol: String) {
        let part = HealthKitAtom.indexBySymbol[symbol].map { Part(index: $0, prefix: .none, molarMass: nil) }
        self.init(factors: part.map { [Factor(unit: $0, exponent: 1)] } ?? [])
    }

    /// Whether the unit has no factors, such as `()` and `m/m`.
    public var isNull: Bool { factors.isEmpty }

    public var description: String { text }

    /// Returns whether the text is a unit.
    public static func isValid(_ text: String) -> Bool { (try? HealthKitUnit(text)) != nil }

    /// Returns whether values can be converted into the other unit. As in HealthKit, volumes are lengths to the third
    /// power, and `%`, `count` and `()` are pure numbers. Energy, power, pressure and frequency are separate
    /// dimensions: `J/s` and `W` are not compatible.
    public func isCompatible(with other: HealthKitUnit) -> Bool { dimension == other.dimension }

    /// Returns the conversion from values in this unit to values in the other; nil if the units are not compatible.
    ///
    /// The zero points of `degC` and `degF` apply only to the unit alone: a `degC·m` is a `K·m`.
    public func conversion(to other: HealthKitUnit) -> UnitConversion? {
        guard isCompatible(with: other) else { return nil }
        if self == other { return .identity }
        let (own, their) = (zeroPoint, other.zeroPoint)
        let theirSize = other.size
        return UnitConversion(
            factor: size / theirSize, offset: own == their ? .zero : (own - their) / theirSize)
    }
}

extension HealthKitUnit {
    /// Size of the unit in coherent units of its dimension.
    var size: ExactNumber {
        factors.reduce(.one) { product, factor in product * factor.unit.size.power(factor.exponent) }
    }

    /// The zero point of the unit's scale, in coherent units.
    private var zeroPoint: ExactNumber {
        guard factors.count == 1, factors[0].exponent == 1 else { return .zero }
        return factors[0].unit.atom.offset
    }

    private static func render(_ factors: [Factor]) -> String {
        if factors.isEmpty { return "()" }
        let above = factors.filter { $0.exponent > 0 }.map { $0.text }.joined(separator: "·")
        let below = factors.filter { $0.exponent < 0 }.map { $0.text }.joined(separator: "·")
        if below.isEmpty { return above }
        return (above.isEmpty ? "1" : above) + "/" + below
    }
}

extension HealthKitUnit: Hashable {
    public static func == (left: HealthKitUnit, right: HealthKitUnit) -> Bool {
        left.factors == right.factors
            || (left.factors.count == right.factors.count && left.factors.allSatisfy(right.factors.contains))
    }

    public func hash(into hasher: inout Hasher) {
        // The order of factors is ignored.
        hasher.combine(factors.reduce(0) { $0 ^ $1.hashValue })
    }
}

extension HealthKitUnit.Factor {
    /// The power without the exponent's sign.
    fileprivate var text: String {
        let magnitude = abs(exponent)
        return magnitude == 1 ? unit.text : "\(unit.text)^\(magnitude)"
    }
}

extension HealthKitUnit.Part {
    /// The name in unit strings.
    var text: String {
        let name = prefix.rawValue + atom.symbol
        return molarMass.map { "\(name)<\($0.text)>" } ?? name
    }

    /// Size of the unit in coherent units of its dimension.
    var size: ExactNumber {
        let size = molarMass?.grams ?? atom.size
        return prefix == .none ? size : size * ExactNumber(numerator: .one, exponent: prefix.powerOfTen)
    }
}
