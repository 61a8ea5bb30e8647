import Core

/// A unit as HealthKit names it: `count/min`, `mL/min·kg`, `mmol<180.1558800000541>/L`, `degF`.
///
///     let written = try HealthKitUnit("lb")
///     let wanted = try HealthKitUnit("kg")
///     written.conversion(to: wanted)?.convert("150")     // "68.0388555"
///
/// Units are products of powers. They are equal where they have the same factors in any order: `m/s^2` and `s^-2·m`,
/// but not `kcal` and `Cal`, which are two names of one size.
/// <https://developer.apple.com/documentation/healthkit/hkunit/init(from:)>
public struct HealthKitUnit: Sendable, CustomStringConvertible {
    /// The unit as HealthKit writes it: factors in the order in which they were read, joined by `·`, those with
    /// negative exponents behind one `/`, and `()` for the unit without factors.
    public let text: String
    /// In the order in which they were read; no two of the same unit, and no exponent is zero.
    let factors: [Factor]
    private let dimension: HealthKitDimension

    /// A power of an atom, prefix included.
    struct Factor: Sendable, Hashable {
        var unit: Part
        var exponent: Int
    }

    /// An atom with its prefix.
    struct Part: Sendable, Hashable {
        /// The place in ``HealthKitAtom/all``.
        let place: Int
        let prefix: HealthKitPrefix
        /// For a mole of a known substance, which measures mass.
        let molarMass: MolarMass?

        var atom: HealthKitAtom { HealthKitAtom.all[place] }
    }

    /// Gram per mole. HealthKit writes it with 16 significant digits, and what is written alike is the same.
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

    /// Reads a unit string.
    ///
    /// `·`, `*` and `.` multiply, one `/` divides by all that follows, `1/x` is a reciprocal, `^n` a power, whose
    /// exponent may be negative; parentheses hold products. An empty text and `()` are the unit without factors.
    /// - Throws: what is wrong with it and where. A text is refused too when it is longer than 256 bytes, nested more
    ///   than 32 deep, or has exponents of more than 100 in all.
    public init(_ text: String) throws(HealthKitUnitError) {
        self.init(factors: try HealthKitUnitParser.parse(text))
        // A middle dot is longer than the `.` that was read for it, and what is written must be readable again.
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

    /// A number of things. It has no dimension.
    public static let count = HealthKitUnit(symbol: "count")
    /// HealthKit's percent, which is the bare fraction: its 0.97 is what others call 97 %.
    public static let percent = HealthKitUnit(symbol: "%")

    private init(symbol: String) {
        let part = HealthKitAtom.places[symbol].map { Part(place: $0, prefix: .none, molarMass: nil) }
        self.init(factors: part.map { [Factor(unit: $0, exponent: 1)] } ?? [])
    }

    /// Whether the unit has no factors at all, as `()` and `m/m`.
    public var isNull: Bool { factors.isEmpty }

    public var description: String { text }

    /// Whether the text is a unit.
    public static func isValid(_ text: String) -> Bool { (try? HealthKitUnit(text)) != nil }

    /// Whether values can be converted into the other unit. As in HealthKit, volumes are lengths to the third, and
    /// `%`, `count` and `()` all are pure numbers, but energy, power, pressure and frequency have nothing to do with
    /// each other: `J/s` and `W` are not compatible.
    public func isCompatible(with other: HealthKitUnit) -> Bool { dimension == other.dimension }

    /// The way from values in this unit to values in the other; nil where the two are not compatible.
    ///
    /// The zero points of `degC` and `degF` count only where the unit stands alone: a `degC·m` is a `K·m`.
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
    /// How many coherent units of the dimension one is.
    var size: ExactNumber {
        factors.reduce(.one) { product, factor in product * factor.unit.size.power(factor.exponent) }
    }

    /// Where the unit's scale begins, in coherent units.
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
        // The order of factors does not count.
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

    /// How many coherent units of the dimension one is.
    var size: ExactNumber {
        let size = molarMass?.grams ?? atom.size
        return prefix == .none ? size : size * ExactNumber(numerator: .one, exponent: prefix.powerOfTen)
    }
}
