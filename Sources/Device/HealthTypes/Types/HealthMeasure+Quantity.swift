import FHIR
import Foundation
import UCUM

extension HealthMeasure {
    /// Returns the value of a FHIR Quantity in ``unit``; nil for a quantity without a value, without a unit, or in a
    /// unit that cannot be converted (<https://hl7.org/fhir/R4/datatypes.html#Quantity>).
    ///
    /// A quantity in the measure's own unit keeps its digits.
    public func value(of quantity: Quantity) -> JSONNumber? {
        guard let value = quantity.value, let code = quantity.code else { return nil }
        if code == unit.ucum { return value }
        guard let given = value.decimal, let from = try? UCUMUnit(code), let to = try? UCUMUnit(unit.ucum),
            let converted = try? from.convert(given, to: to)
        else { return nil }
        return JSONNumber(converted)
    }
}
