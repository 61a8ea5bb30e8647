/// The dimension of a unit: the exponents of UCUM's seven base units and of the arbitrary units in it.
///
/// Two units are comparable if their dimensions are equal. In UCUM, the mole is a number without dimension, and a plane
/// angle has a dimension of its own. An arbitrary unit such as `[iU]` is a dimension by itself, because it is
/// comparable only with itself (specification §24–26).
public struct UCUMDimension: Sendable, Hashable {
    /// The exponents in the order of ``baseUnits``; the eighth element is always zero.
    var base: SIMD8<Int32>
    /// The arbitrary units with their nonzero exponents, ordered by their index in the table.
    var arbitraryUnits: [ArbitraryUnit]

    struct ArbitraryUnit: Sendable, Hashable {
        let atom: Int
        var exponent: Int32
    }

    /// The dimension of pure numbers.
    public static let one = UCUMDimension(base: .zero, arbitraryUnits: [])

    /// The codes of the base units in canonical order: meter, second, gram, radian, kelvin, coulomb, candela.
    public static let baseUnits = ["m", "s", "g", "rad", "K", "C", "cd"]

    /// The exponent of the meter, UCUM's unit of length.
    public var length: Int { Int(base[0]) }
    /// The exponent of the second, UCUM's unit of time.
    public var time: Int { Int(base[1]) }
    /// The exponent of the gram, UCUM's unit of mass.
    public var mass: Int { Int(base[2]) }
    /// The exponent of the radian, UCUM's unit of plane angle.
    public var planeAngle: Int { Int(base[3]) }
    /// The exponent of the kelvin, UCUM's unit of temperature.
    public var temperature: Int { Int(base[4]) }
    /// The exponent of the coulomb, UCUM's unit of electric charge.
    public var electricCharge: Int { Int(base[5]) }
    /// The exponent of the candela, UCUM's unit of luminous intensity.
    public var luminousIntensity: Int { Int(base[6]) }

    /// The arbitrary units by their codes, with their exponents.
    public var arbitrary: [String: Int] {
        Dictionary(
            arbitraryUnits.map { (UCUMTable.shared.atoms[$0.atom].code, Int($0.exponent)) }, uniquingKeysWith: +)
    }

    /// Whether the dimension is that of a pure number.
    public var isDimensionless: Bool { base == .zero && arbitraryUnits.isEmpty }
}

extension UCUMDimension {
    static func * (left: UCUMDimension, right: UCUMDimension) -> UCUMDimension {
        var product = left
        product.base &+= right.base
        for unit in right.arbitraryUnits { product.add(unit) }
        return product
    }

    /// Returns the dimension raised to a power.
    func power(_ exponent: Int) -> UCUMDimension {
        let factor = Int32(truncatingIfNeeded: exponent)
        return UCUMDimension(
            base: base &* SIMD8(repeating: factor),
            arbitraryUnits: factor == 0
                ? [] : arbitraryUnits.map { ArbitraryUnit(atom: $0.atom, exponent: $0.exponent &* factor) })
    }

    private mutating func add(_ unit: ArbitraryUnit) {
        guard let index = arbitraryUnits.firstIndex(where: { $0.atom >= unit.atom }) else {
            arbitraryUnits.append(unit)
            return
        }
        guard arbitraryUnits[index].atom == unit.atom else {
            arbitraryUnits.insert(unit, at: index)
            return
        }
        arbitraryUnits[index].exponent &+= unit.exponent
        if arbitraryUnits[index].exponent == 0 { arbitraryUnits.remove(at: index) }
    }
}

extension UCUMDimension: CustomStringConvertible {
    /// The dimension as a product of base units in canonical order, such as `m.s-2.g`, or `1` for pure numbers. It is
    /// itself a valid unit, the coherent unit of the dimension.
    public var description: String {
        var factors: [String] = []
        for (index, unit) in Self.baseUnits.enumerated() where base[index] != 0 {
            factors.append(base[index] == 1 ? unit : "\(unit)\(base[index])")
        }
        for unit in arbitraryUnits {
            let code = UCUMTable.shared.atoms[unit.atom].code
            factors.append(unit.exponent == 1 ? code : "\(code)\(unit.exponent)")
        }
        return factors.isEmpty ? "1" : factors.joined(separator: ".")
    }
}
