import Core
import FHIRSearch
import UCUM

/// Units that are ratios of base units. Quantities in one unit are found by a value in another: the searched value is
/// converted to each unit in the index.
package enum SearchUnits {
    /// Returns the factor to base units, and these; nil where the code is not a unit of UCUM, and for units such as
    /// degrees Celsius or pH.
    package static func ratio(system: String?, code: String?) -> (factor: ExactNumber, unit: String)? {
        guard system == SearchQuantity.ucum, let code, let unit = try? UCUMUnit(code), !unit.isSpecial,
            let factor = try? unit.baseValue(ExactNumber(1)), !factor.isZero
        else { return nil }
        return (factor, unit.dimension.description)
    }
}
