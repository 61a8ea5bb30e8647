import Core

/// A named unit of HealthKit; all other units are composed of these.
struct HealthKitAtom: Sendable {
    /// The name in unit strings.
    let symbol: String
    /// The dimension, with ``power`` as its exponent: a litre is a length to the third power.
    let quantity: HealthKitDimension.Axis
    let power: Int16
    /// Size of the unit in coherent units of its dimension: metre, gram, second, kelvin, joule, pascal ...
    let size: ExactNumber
    /// The offset that is added to values after the factor: zero degrees Celsius is 273.15 K.
    let offset: ExactNumber
    /// Whether a metric prefix is allowed.
    let takesPrefix: Bool
    let ucum: UCUMForm

    /// The form of the unit in UCUM.
    enum UCUMForm: Sendable, Hashable {
        /// An ordinary unit.
        case unit(String)
        /// A special unit, which UCUM allows only alone. In products the second unit is used, if there is one.
        case special(String, inProducts: String?)
        /// No unit: it is a pure number.
        case number
        /// No unit: UCUM does not define it.
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

    /// The prefix as a power of ten.
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
