import FHIR
import Foundation
import UCUM

extension Quantity {
    /// The UCUM unit of the code, or of the text if there is no code; nil if it is not a UCUM unit.
    package var ucumUnit: UCUMUnit? {
        guard let code else { return unit.flatMap { try? UCUMUnit($0) } }
        guard system == nil || system == "http://unitsofmeasure.org" else { return nil }
        return try? UCUMUnit(code)
    }

    /// Returns the number of the quantity in another unit, with at most ten digits after the point if it is converted;
    /// nil if the units are not comparable.
    package func value(in other: Coding) -> JSONNumber? {
        guard let value, let wanted = other.code, let own = code ?? unit else { return nil }
        if own == wanted { return value }
        guard let from = ucumUnit, let to = try? UCUMUnit(wanted), let decimal = value.decimal,
            var result = try? from.convert(decimal, to: to)
        else { return nil }
        // A repeating fraction has no more digits than a measurement.
        var rounded = Decimal()
        NSDecimalRound(&rounded, &result, 10, .plain)
        return JSONNumber(rounded)
    }
}
