import Core
import UCUM

/// A value of a quantity parameter (<https://hl7.org/fhir/R4/search.html#quantity>).
package struct SearchQuantity: Sendable, Hashable {
    /// A value in UCUM's base units.
    package struct Canonical: Sendable, Hashable {
        package let number: SearchNumber
        /// The product of base units: `m.s-2.g`.
        package let unit: String
    }

    package let number: SearchNumber
    /// The system of the unit's code, in the form of ``SearchIndex/indexed(_:)``.
    package let system: String?
    package let code: String?
    /// The display text of the unit.
    package let unit: String?
    /// nil where the code is not one of UCUM, or where UCUM has no base units for it.
    package let canonical: Canonical?

    package static let ucum = "http://unitsofmeasure.org"
    /// The system of currencies (<https://hl7.org/fhir/R4/valueset-currencies.html>).
    static let currencies = "urn:iso:std:iso:4217"

    package init(_ number: SearchNumber, system: String?, code: String?, unit: String?) {
        self.number = number
        canonical =
            system == SearchQuantity.ucum ? code.flatMap { SearchQuantity.canonical(number, code: $0) } : nil
        self.system = SearchToken.indexed(system)
        self.code = SearchToken.indexed(code)
        self.unit = SearchToken.indexed(unit)
    }

    private static func canonical(_ number: SearchNumber, code: String) -> Canonical? {
        guard let unit = try? UCUMUnit(code), let base = number.mapped({ try? unit.baseValue($0) }) else { return nil }
        return Canonical(number: base, unit: unit.dimension.description)
    }
}
