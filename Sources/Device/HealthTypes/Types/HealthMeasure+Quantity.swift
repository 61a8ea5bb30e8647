import FHIR
import Foundation
import UCUM

extension HealthMeasure {
    /// The value of a FHIR Quantity in ``unit``; nil for a quantity without a value, without a unit, or in a unit that does
    /// not convert (<https://hl7.org/fhir/R4/datatypes.html#Quantity>).
    ///
    /// The digits are those of the quantity where the unit is the measure's own.
    public func value(of quantity: Quantity) -> JSONNumber? {
        guard let value = quantity.value, let code = quantity.code else { return nil }
        if code == unit.ucum { return value }
        guard let given = value.decimal, let from = try? UCUMUnit(code), let to = try? UCUMUnit(unit.ucum),
            let converted = try? from.convert(given, to: to)
        else { return nil }
        return JSONNumber(converted)
    }
}
