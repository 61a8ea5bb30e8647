/// The dimension of a unit: the exponents of HealthKit's dimensions.
///
/// HealthKit derives only volume from length. Energy, pressure, power and frequency are separate dimensions, so that
/// `J/s` and `W` cannot be converted into each other. A count and a percent have no dimension.
struct HealthKitDimension: Sendable, Hashable {
    enum Axis: Int, Sendable, CaseIterable {
        case length, mass, time, temperature, energy, pressure, power, frequency, potential, conductance
        case angle, illuminance, amount, soundPressureLevel, hearingLevel, internationalUnit
        case lensPower, prismPower, effort
        /// The dimension of a pure number; its exponent is ignored.
        case none
    }

    private var exponents = SIMD32<Int16>()

    /// The exponent of a dimension.
    subscript(axis: Axis) -> Int { Int(exponents[axis.rawValue]) }

    /// Multiplies the dimension by a power of mass.
    mutating func multiplyMass(exponent: Int) {
        exponents[Axis.mass.rawValue] &+= Int16(truncatingIfNeeded: exponent)
    }

    /// Multiplies the dimension by a power of an atom's dimension.
    mutating func multiply(_ atom: HealthKitAtom, exponent: Int) {
        guard atom.quantity != .none else { return }
        exponents[atom.quantity.rawValue] &+= atom.power &* Int16(truncatingIfNeeded: exponent)
    }
}
