import Core
import Foundation
import UCUM

/// The unit in which a quantity is kept whose concept has no declared one: the same for all that measure the same.
///
/// For the kinds that are common it is one in which the usual values fit decimal(18,5) with their digits, as UCUM's base
/// units do not do: a mole is 6e23 there, and a nanogram in a litre 0.000001. Of other kinds it is the product of base
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

    /// nil for the unit itself: the scales that are no multiples, but for temperature's.
    static func code(for unit: UCUMUnit) -> String? {
        if isAmount(unit) { return amounts[unit.dimension] ?? unit.baseUnit.code }
        if unit.isSpecial, unit.dimension != kelvin { return nil }
        return kinds[unit.dimension] ?? unit.baseUnit.code
    }

    private static let kelvin = (try? UCUMUnit("K"))?.dimension

    /// Whether the unit counts particles of a substance. To UCUM a mole is a number, so cells and moles in a litre would
    /// compare; no quantity is given in both.
    static func isAmount(_ unit: UCUMUnit) -> Bool {
        guard let magnitude = unit.magnitude, magnitude > 10_000_000_000 else { return false }
        return unit.code.split { !$0.isLetter }.contains { word in
            ["mol", "eq", "osm", "kat"].contains { word.hasSuffix($0) } || ["U", "mU", "uU", "kU", "nU"].contains(word)
        }
    }
}
