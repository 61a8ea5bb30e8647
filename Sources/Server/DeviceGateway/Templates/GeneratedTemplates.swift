import Core
import FHIR
import HealthData

/// Templates for the messages that phones send to an event hub, for all types of the table with a single value.
///
/// Cumulative quantities become single Observations, each with its own period. Values that a watch measures every few
/// seconds become series of an hour.
package enum GeneratedTemplates {
    /// Returns the device templates (`devicecontent.json`).
    package static func device(of table: HealthTypeTable = .standard) -> JSON {
        collection("CollectionContent", entries(of: table).map { ("JsonPathContent", $0.content) })
    }

    /// Returns the FHIR templates (`fhirmapping.json`).
    package static func fhir(of table: HealthTypeTable = .standard) -> JSON {
        collection("CollectionFhir", entries(of: table).map { ("CodeValueFhir", $0.mapping) })
    }

    /// The types that are measured every few seconds.
    private static let series: Set<String> = [
        "HeartRate", "RespiratoryRate", "OxygenSaturation", "EnvironmentalAudioExposure", "HeadphoneAudioExposure",
    ]
    /// Milliseconds between two values of a series.
    private static let period: JSON = 1_000

    private struct Entry {
        let content: JSON
        let mapping: JSON
    }

    private static func collection(_ kind: String, _ templates: [(type: String, template: JSON)]) -> JSON {
        [
            "templateType": .string(kind),
            "template": .array(templates.map { ["templateType": .string($0.type), "template": $0.template] }),
        ]
    }

    private static func entries(of table: HealthTypeTable) -> [Entry] {
        table.all.flatMap { type -> [Entry] in
            switch (type.kind, type.valueKind) {
            case (.quantity, .quantity) where table.correlation(of: type) == nil:
                return [quantity(type)].compactMap { $0 }
            case (.correlation, .components): return [correlation(type, in: table)].compactMap { $0 }
            case (.category, .concept):
                return type.options.enumerated().compactMap { category(type, $0.element) }
            case (.category, .event): return [event(type)]
            default: return []
            }
        }
    }

    private static func quantity(_ type: HealthType) -> Entry? {
        guard let measure = type.measure else { return nil }
        let key = type.message?.valueKey ?? "value"
        let match =
            type.message == nil ? "$..[?(@type == '\(type.identifier)' && @value)]" : "$..[?(@\(key))]"
        let isSeries = series.contains(type.shortName)
        let unit = type.message?.unit ?? measure.unit.display
        var value = JSONObject()
        value["valueName"] = .string(key)
        if isSeries {
            value["valueType"] = "SampledData"
            value["defaultPeriod"] = period
            value["unit"] = .string(measure.unit.ucum)
        } else {
            value["valueType"] = "Quantity"
            value["unit"] = .string(unit)
            value["system"] = .string(HealthMeasure.ucum)
            value["code"] = .string(type.message.flatMap { code(of: $0.unit) } ?? measure.unit.ucum)
        }
        return Entry(
            content: content(type.shortName, match: match, values: [(key, key)]),
            mapping: mapping(
                type.shortName, of: type, interval: isSeries ? 60 : 0, values: [("value", .object(value))]))
    }

    /// Returns the UCUM code of a unit that messages write in another form.
    private static func code(of unit: String) -> String? {
        switch unit {
        case "beats/min", "count/min": "/min"
        case "count": "{count}"
        case "degC": "Cel"
        case "dB(SPL)": "dB[SPL]"
        case "mmHg": "mm[Hg]"
        case "%", "kcal", "ms", "mg/dL", "kg", "cm": unit
        default: nil
        }
    }

    private static func correlation(_ type: HealthType, in table: HealthTypeTable) -> Entry? {
        var values: [(String, String)] = []
        var components: [JSON] = []
        for component in type.components {
            guard let shape = table.type(component.identifier)?.message else { return nil }
            values.append((shape.valueKey, shape.valueKey))
            components.append([
                "codes": .array(component.codings.map(\.json)),
                "value": [
                    "valueType": "Quantity", "valueName": .string(shape.valueKey), "unit": .string(shape.unit),
                    "system": .string(HealthMeasure.ucum), "code": .string(code(of: shape.unit) ?? component.unit.ucum),
                ],
            ])
        }
        guard !values.isEmpty else { return nil }
        let match = "$..[?(" + values.map { "@\($0.0)" }.joined(separator: " && ") + ")]"
        return Entry(
            content: content(type.shortName, match: match, values: values),
            mapping: mapping(type.shortName, of: type, interval: 0, values: [("components", .array(components))]))
    }

    private static func category(_ type: HealthType, _ option: HealthOption) -> Entry? {
        guard let number = type.rawValue(of: option) else { return nil }
        let name = "\(type.shortName)-\(number)"
        return Entry(
            content: content(
                name, match: "$..[?(@type == '\(type.identifier)' && @value == \(number))]",
                values: [("value", "value")]),
            mapping: mapping(
                name, of: type, interval: 0,
                values: [
                    (
                        "value",
                        [
                            "valueType": "CodeableConcept", "valueName": "value", "text": .string(option.display),
                            "codes": [
                                [
                                    "system": .string(HealthCodeSystem.healthKit), "code": .string(option.code),
                                    "display": .string(option.display),
                                ]
                            ],
                        ]
                    )
                ]))
    }

    private static func event(_ type: HealthType) -> Entry {
        Entry(
            content: content(
                type.shortName, match: "$..[?(@type == '\(type.identifier)' && @value)]", values: [("value", "value")]),
            mapping: mapping(
                type.shortName, of: type, interval: 0,
                values: [
                    (
                        "value",
                        [
                            "valueType": "CodeableConcept", "valueName": "value", "text": .string(type.title),
                            "codes": .array(type.codings.map(\.json)),
                        ]
                    )
                ]))
    }

    private static func content(_ name: String, match: String, values: [(String, String)]) -> JSON {
        [
            "typeName": .string(name), "typeMatchExpression": .string(match), "deviceIdExpression": "$.deviceId",
            "patientIdExpression": "$.patientId", "timestampExpression": "$.endDate",
            "values": .array(
                values.map { name, key in
                    ["required": true, "valueName": .string(name), "valueExpression": .string("$.\(key)")]
                }),
        ]
    }

    private static func mapping(
        _ name: String, of type: HealthType, interval: Int, values: [(String, JSON)]
    ) -> JSON {
        var members: [JSONObject.Member] = [
            .init(key: "typeName", value: .string(name)),
            .init(key: "periodInterval", value: .number(JSONNumber(interval))),
            .init(
                key: "category",
                value: [
                    [
                        "codes": [
                            [
                                "system": .string(HealthCodeSystem.observationCategory),
                                "code": .string(type.category.rawValue), "display": .string(type.category.display),
                            ]
                        ]
                    ]
                ]),
            .init(key: "codes", value: .array(type.codings.map(\.json))),
        ]
        members += values.map { .init(key: $0.0, value: $0.1) }
        return .object(JSONObject(keepingFirst: members))
    }
}
