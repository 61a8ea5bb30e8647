extension HealthKitUnit {
    /// The UCUM code of the same dimension and size: `/min` for `count/min`, `mL/(min.kg)` for `mL/min·kg`, `1` for
    /// `count`, `()` and also for `%`, since HealthKit's percent is the fraction.
    ///
    /// Two sizes differ in the sixth digit, because UCUM rounds the density of mercury: `mm[Hg]` is 133.322 Pa, but
    /// HealthKit's `mmHg` is 133.322387415 Pa; the same applies to `[in_i'Hg]` and `inHg`. A mole keeps its name for
    /// every substance: `mmol<180.1558800000541>/L` is `mmol/L`.
    ///
    /// Nil if UCUM has no such unit: `dBHL`, `appleEffortScore`, `cup_imp`, and products of levels such as `dBASPL`.
    /// <https://ucum.org/ucum>
    public var ucum: String? {
        if let alone = factors.first, factors.count == 1, alone.exponent == 1,
            case .special(let code, _) = alone.unit.atom.ucum
        {
            return code
        }
        var above: [String] = []
        var below: [String] = []
        for factor in factors {
            let code: String
            switch factor.unit.atom.ucum {
            case .number: continue
            case .unit(let name), .special(_, inProducts: let name?): code = factor.unit.prefix.ucum + name
            case .special(_, inProducts: nil), .none: return nil
            }
            let magnitude = abs(factor.exponent)
            let power = magnitude == 1 ? code : "\(code)\(magnitude)"
            if factor.exponent > 0 { above.append(power) } else { below.append(power) }
        }
        let dividend = above.joined(separator: ".")
        switch below.count {
        case 0: return above.isEmpty ? "1" : dividend
        case 1: return "\(dividend)/\(below[0])"
        default: return "\(dividend)/(\(below.joined(separator: ".")))"
        }
    }
}
