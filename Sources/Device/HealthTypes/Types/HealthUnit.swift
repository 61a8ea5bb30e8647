/// The unit of a measure: the UCUM code and the display text.
///
/// <https://ucum.org/ucum>
public struct HealthUnit: Sendable, Hashable {
    /// The UCUM code, for example `mm[Hg]`.
    public let ucum: String
    /// The display text of the unit, for example `mmHg`.
    public let display: String

    /// Creates a unit from its UCUM code and its display text.
    public init(_ ucum: String, _ display: String) {
        self.ucum = ucum
        self.display = display
    }
}

/// A unit that HealthKit writes values in, and the conversion to the measure's own unit.
///
/// It is a class, because millions of samples refer to a few units.
public final class SourceUnit: Sendable, Hashable {
    /// The conversion from the written unit to the measure's unit.
    public enum Scale: Sendable, Hashable {
        /// The same unit: the digits are unchanged.
        case same
        /// A power of ten: the decimal point moves, the digits are unchanged.
        case power(Int)
        /// HealthKit's percent: a fraction from 0 to 1, multiplied by 100. A value above 1 is taken as percent already.
        case fraction
        /// A factor, for temperatures also an offset, in exact arithmetic.
        case linear(UnitConversion)
    }

    /// HealthKit's unit string, for example `count/min`.
    public let name: String
    /// The conversion to the unit of the observation.
    public let scale: Scale

    /// Creates a unit from HealthKit's name for it.
    public init(_ name: String, _ scale: Scale = .same) {
        self.name = name
        self.scale = scale
    }

    public static func == (left: SourceUnit, right: SourceUnit) -> Bool {
        left === right || left.name == right.name && left.scale == right.scale
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
