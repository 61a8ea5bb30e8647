import Core
import Foundation

/// The functions between the values of special units and the values of their proper units (specification §21–23). The
/// raw values are the names in ucum-essence.
enum SpecialFunction: String, Sendable {
    case celsius = "Cel"
    case fahrenheit = "degF"
    case reaumur = "degRe"
    case tangent = "tanTimes100"
    /// Another name of ``tangent`` in ucum-essence.
    case percentTangent = "100tan"
    case homeopathicX = "hpX"
    case homeopathicC = "hpC"
    case homeopathicM = "hpM"
    case homeopathicQ = "hpQ"
    case pH
    case naturalLogarithm = "ln"
    case decimalLogarithm = "lg"
    case doubleDecimalLogarithm = "lgTimes2"
    case binaryLogarithm = "ld"
    case squareRoot = "sqrt"

    /// The base and scale of a logarithmic function: the special value is `scale · log_base(proper value)`.
    private var logarithm: (base: Int, scale: Int)? {
        switch self {
        case .homeopathicX, .pH: (10, -1)
        case .homeopathicC: (100, -1)
        case .homeopathicM: (1_000, -1)
        case .homeopathicQ: (50_000, -1)
        case .decimalLogarithm: (10, 1)
        case .doubleDecimalLogarithm: (10, 2)
        case .binaryLogarithm: (2, 1)
        default: nil
        }
    }

    /// The difference between the zero points of an interval scale and the absolute scale, in the special unit.
    private var offset: ExactNumber? {
        switch self {
        case .celsius: ExactNumber(numerator: Natural(27_315), exponent: -2)
        case .fahrenheit: ExactNumber(numerator: Natural(45_967), exponent: -2)
        case .reaumur: ExactNumber(numerator: Natural(21_852), exponent: -2)
        default: nil
        }
    }

    /// Returns the value on the scale of the corresponding proper unit. It is exact for the interval scales, the square
    /// root and integer powers; otherwise it has the precision of `Double`. Nil if the result is out of range.
    func properValue(_ value: ExactNumber) -> ExactNumber? {
        if let offset { return value + offset }
        if let logarithm {
            let power = value / ExactNumber(logarithm.scale)
            if let whole = power.smallInteger { return ExactNumber(logarithm.base).power(whole) }
            return Self.positive(pow(Double(logarithm.base), power.double))
        }
        switch self {
        case .squareRoot: return value * value
        case .naturalLogarithm: return value.isZero ? .one : Self.positive(exp(value.double))
        case .tangent, .percentTangent: return ExactNumber(atan((value / ExactNumber(100)).double))
        default: return nil
        }
    }

    /// Returns the value on the special scale of a value in the corresponding proper unit. Nil if there is none, as for
    /// the logarithm of zero.
    func specialValue(_ value: ExactNumber) -> ExactNumber? {
        if let offset { return value - offset }
        if let logarithm {
            guard !value.isNegative, !value.isZero else { return nil }
            let scale = ExactNumber(logarithm.scale)
            let base = Double(logarithm.base)
            guard let approximate = Self.logarithm(of: value, base: base) else { return nil }
            let whole = Int(approximate.rounded())
            if abs(whole) <= Self.greatestWholePower, ExactNumber(logarithm.base).power(whole) == value {
                return ExactNumber(whole) * scale
            }
            return ExactNumber(approximate).map { $0 * scale }
        }
        switch self {
        case .squareRoot: return value.isNegative ? nil : ExactNumber(value.double.squareRoot())
        case .naturalLogarithm:
            guard !value.isNegative, !value.isZero else { return nil }
            return ExactNumber(log(value.double))
        case .tangent, .percentTangent: return ExactNumber(tan(value.double)).map { $0 * ExactNumber(100) }
        default: return nil
        }
    }

    /// Integer powers up to this exponent are computed without rounding.
    static let greatestWholePower = 400

    private static func logarithm(of value: ExactNumber, base: Double) -> Double? {
        let double = value.double
        guard double.isFinite, double > 0 else { return nil }
        switch base {
        case 2: return log2(double)
        case 10: return log10(double)
        default: return log10(double) / log10(base)
        }
    }

    private static func positive(_ value: Double) -> ExactNumber? {
        value > 0 ? ExactNumber(value) : nil
    }
}

extension ExactNumber {
    /// The number as an integer that is small enough for exact powers; nil if it is not.
    fileprivate var smallInteger: Int? {
        if isZero { return 0 }
        guard isBounded else { return nil }
        let (digits, exponent) = rounded(toDigits: 6)
        guard exponent >= 0, exponent < 4, digits.high.isEmpty, digits.low < 1_000 else { return nil }
        let magnitude = Int(digits.low) * Int(Natural.smallPowersOfTen[exponent])
        let integer = isNegative ? -magnitude : magnitude
        guard magnitude <= SpecialFunction.greatestWholePower, ExactNumber(integer) == self else { return nil }
        return integer
    }
}
