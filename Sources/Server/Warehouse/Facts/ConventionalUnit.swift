import Core
import Foundation
import UCUM

/// The unit in which a quantity without a declared unit is stored: the same for all values of one kind of quantity.
///
/// For common kinds, the unit is chosen so that usual values fit decimal(18,5) with their digits. UCUM's base units do
/// not allow that: a mole is 6e23 there, and a nanogram per litre 0.000001. For other kinds, it is the product of base
/// units.
enum ConventionalUnit {
    private static let kinds = table([
        "g", "cm", "s", "/min", "Cel", "mm[Hg]", "mL", "ug/L", "/uL", "kcal", "W", "m/s", "cm2", "mV", "1",
    ])
    private static let amounts = table(["umol", "nmol/L", "U/L", "U", "mmol/kg"])

    private static func table(_ codes: [String]) -> [UCUMDimension: String] {
        let units = codes.compactMap { try? UCUMUnit($0) }
        return Dictionary(units.map { ($0.dimension, $0.code) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the code of the conventional unit; nil for the unit itself, because it is a special scale other than a
    /// temperature.
    static func code(for unit: UCUMUnit) -> String? {
        if isAmount(unit) { return amounts[unit.dimension] ?? unit.baseUnit.code }
        if unit.isSpecial, unit.dimension != kelvin { return nil }
        return kinds[unit.dimension] ?? unit.baseUnit.code
    }

    private static let kelvin = (try? UCUMUnit("K"))?.dimension

    /// Whether the unit counts particles of a substance. In UCUM a mole is a number, so cells per litre and moles per
    /// litre would be comparable; no quantity is expressed in both.
    static func isAmount(_ unit: UCUMUnit) -> Bool {
        guard let magnitude = unit.magnitude, magnitude > 10_000_000_000 else { return false }
        return unit.code.split { !$0.isLetter }.contains { word in
            ["mol", "eq", "osm", "kat"].contains { word.hasSuffix($0) } || ["U", "mU", "uU", "kU", "nU"].contains(word)
        }
    }
}
