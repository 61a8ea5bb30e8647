import Core

/// A unit that HealthKit knows by a name of its own; every other one is made of these.
struct HealthKitAtom: Sendable {
    /// The name in unit strings.
    let symbol: String
    /// The dimension that it measures, with ``power`` as its exponent: a litre is a length to the third.
    let quantity: HealthKitDimension.Axis
    let power: Int16
    /// How many coherent units of its dimension one is: metre, gram, second, kelvin, joule, pascal ...
    let size: ExactNumber
    /// The offset that is added to values, after the factor: a degree Celsius begins at 273.15 K.
    let offset: ExactNumber
    /// Whether a metric prefix may stand before it.
    let takesPrefix: Bool
    let ucum: UCUMForm

    /// The form in which UCUM writes it.
    enum UCUMForm: Sendable, Hashable {
        /// As a unit like any other.
        case unit(String)
        /// As a unit of a scale of its own, which may stand only alone; in products the second one takes its place, if
        /// there is any.
        case special(String, inProducts: String?)
        /// Not at all: it is a pure number.
        case number
        /// Not at all: UCUM does not know it.
        case none
    }
}

/// The metric prefixes. HealthKit's micro is `mc`.
enum HealthKitPrefix: String, Sendable, CaseIterable {
    case none = ""
    case femto = "f"
    case pico = "p"
    case nano = "n"
    case micro = "mc"
    case milli = "m"
    case centi = "c"
    case deci = "d"
    case deca = "da"
    case hecto = "h"
    case kilo = "k"
    case mega = "M"
    case giga = "G"
    case tera = "T"

    /// The power of ten that it stands for.
    var powerOfTen: Int {
        switch self {
        case .none: 0
        case .femto: -15
        case .pico: -12
        case .nano: -9
        case .micro: -6
        case .milli: -3
        case .centi: -2
        case .deci: -1
        case .deca: 1
        case .hecto: 2
        case .kilo: 3
        case .mega: 6
        case .giga: 9
        case .tera: 12
        }
    }

    var ucum: String { self == .micro ? "u" : rawValue }
}
