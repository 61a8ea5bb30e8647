import FHIR
import Foundation

extension HealthSample {
    /// Returns the sample as a message of HealthKitOnFhir, for receivers of that format: `{"uuid": …, "startDate": …,
    /// "endDate": …, "heartRate": 66, "unit": "beats/min"}`. Nil for types without a message.
    ///
    /// Times are in UTC without fractions. Percent is per hundred, like its unit. If HealthKit's identifier is unknown,
    /// the id of the observation is used instead.
    /// <https://github.com/microsoft/healthkit-on-fhir>
    public func message(subject: String?) -> JSON? {
        var values: [(HealthType, HealthQuantity)] = []
        switch value {
        case .quantity(let quantity): values = [(type, quantity)]
        case .bloodPressure(let systolic, let diastolic):
            for (component, quantity) in zip(type.components, [systolic, diastolic]) {
                guard let quantity, let part = HealthTypeTable.standard.type(component.identifier) else { return nil }
                values.append((part, quantity))
            }
        default: return nil
        }
        var object = JSONObject()
        object["uuid"] = .string(uuid?.uuidString ?? fingerprint.resourceID(subject: subject))
        object["startDate"] = .string(Self.zulu(start))
        object["endDate"] = .string(Self.zulu(end))
        for (type, quantity) in values {
            guard let shape = type.message, let number = type.measure?.number(quantity, for: shape) else { return nil }
            object[shape.valueKey] = .number(number)
            object[shape.unitKey] = .string(shape.unit)
        }
        return .object(object)
    }

    /// The sample as a generic message, for types without a message of their own: `{"uuid", "type", "value", "unit",
    /// "startDate", "endDate"}`. A number is in the unit of the table, whose UCUM code is in `unit`; a category has
    /// HealthKit's raw value and no unit. Nil for a sample without a single value.
    public var plainMessage: JSON? {
        var object = JSONObject()
        object["uuid"] = .string(uuid?.uuidString ?? fingerprint.resourceID(subject: nil))
        object["type"] = .string(type.identifier)
        switch value {
        case .quantity(let quantity):
            object["value"] = .number(quantity.number)
            object["unit"] = type.unit.map { .string($0.ucum) }
        case .option(let option):
            guard let number = type.rawValue(of: option) else { return nil }
            object["value"] = .number(JSONNumber(number))
        case .event: object["value"] = 0
        case .bloodPressure, .workout, .components: return nil
        }
        object["startDate"] = .string(Self.zulu(start))
        object["endDate"] = .string(Self.zulu(end))
        return .object(object)
    }

    private static func zulu(_ instant: HealthInstant) -> String {
        let text = HealthInstant(seconds: instant.seconds, offsetMinutes: 0).text
        return text.hasSuffix("Z") ? text : String(text.prefix(19)) + "Z"
    }
}

extension HealthMeasure {
    /// Returns the value in the unit of a message.
    fileprivate func number(_ quantity: HealthQuantity, for shape: HealthMessageShape) -> JSONNumber? {
        if shape.healthKitUnit == healthKitUnit { return quantity.number }
        return healthKitUnit.conversion(to: shape.healthKitUnit)?.convert(quantity.number.text)
            .flatMap(JSONNumber.init(text:))
    }
}
