import Core
import UCUM

/// Units that are ratios of base units: quantities of one are found by what is asked for in another, for what is asked for
/// is converted to each unit that the index has.
enum SearchUnits {
    /// How many base units a unit is, and which; nil for what is no unit of UCUM, and for units such as degrees Celsius or
    /// pH.
    static func ratio(system: String?, code: String?) -> (factor: ExactNumber, unit: String)? {
        guard system == SearchQuantity.ucum, let code, let unit = try? UCUMUnit(code), !unit.isSpecial,
            let factor = try? unit.baseValue(ExactNumber(1)), !factor.isZero
        else { return nil }
        return (factor, unit.dimension.description)
    }
}
