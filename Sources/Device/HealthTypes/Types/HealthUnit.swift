/// The unit that values of a measure are given in: the UCUM code and the text shown to people.
///
/// <https://ucum.org/ucum>
public struct HealthUnit: Sendable, Hashable {
    /// The UCUM code, for example `mm[Hg]`.
    public let ucum: String
    /// The unit in words, for example `mmHg`.
    public let display: String

    /// Makes a unit of its UCUM code and its name for people.
    public init(_ ucum: String, _ display: String) {
        self.ucum = ucum
        self.display = display
    }
}

/// A unit that HealthKit may write a value in, and the way from it to the measure's own unit.
///
/// An object, as millions of samples refer to a few of them.
public final class SourceUnit: Sendable, Hashable {
    /// The conversion from the written unit to the own one.
    public enum Scale: Sendable, Hashable {
        /// The same unit: the digits stay as they were written.
        case same
        /// So many powers of ten: the decimal point moves, the digits stay.
        case power(Int)
        /// HealthKit's percent: a fraction from 0 to 1, shown times 100. A value above 1 is taken to be percent already.
        case fraction
        /// By a factor, of temperatures with an offset too, in exact arithmetic.
        case linear(UnitConversion)
    }

    /// HealthKit's unit string, for example `count/min`.
    public let name: String
    /// The way to the unit of the observation.
    public let scale: Scale

    /// Makes a unit of HealthKit's name for it.
    public init(_ name: String, _ scale: Scale = .same) {
        self.name = name
        self.scale = scale
    }

    public static func == (left: SourceUnit, right: SourceUnit) -> Bool {
        left === right || left.name == right.name && left.scale == right.scale
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
