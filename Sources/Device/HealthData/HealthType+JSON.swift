import FHIR

extension HealthType {
    /// The row as JSON for other programs, with the example.
    public var json: JSON {
        var object = JSONObject()
        object["identifier"] = .string(identifier)
        object["kind"] = .string(kind.rawValue)
        object["title"] = .string(title)
        object["folder"] = .string(folder)
        object["category"] = .string(category.rawValue)
        if !otherNames.isEmpty { object["otherNames"] = .array(otherNames.map(JSON.string)) }
        if let correlation { object["memberOf"] = .string(correlation) }
        object["codings"] = .array(codings.map(\.json))
        if let measure { object["unit"] = measure.unitJSON }
        object["valueKind"] = .string(valueKind.rawValue)
        object["aggregation"] = .string(aggregation.rawValue)
        if let plausible = measure?.plausible { object["plausible"] = plausible.json }
        object["options"] = .array(options.map(\.json))
        let example = example()
        let known = components.map(\.json) + HealthMetadataKey.components(of: self).map(\.json)
        let parts = kind == .workout ? (HealthWorkoutPart.events + [HealthWorkoutPart.activity]).map(\.partJSON) : []
        object["components"] = .array(known.isEmpty ? Self.components(shownBy: example) : known + parts)
        if let message { object["message"] = message.json }
        if let example { object["example"] = example }
        return .object(object)
    }

    /// Returns the components of a special record, taken from its example.
    private static func components(shownBy example: JSON?) -> [JSON] {
        var seen: Set<JSON> = []
        return (example?["component"]?.array ?? []).compactMap { component in
            guard let code = component["code"], seen.insert(code).inserted,
                let codings = code["coding"]?.array, let identifier = codings.first?["code"]
            else { return nil }
            var object = JSONObject()
            object["identifier"] = identifier
            object["title"] = code["text"]
            object["codings"] = .array(codings)
            if let quantity = component["valueQuantity"], let ucum = quantity["code"], let words = quantity["unit"] {
                object["unit"] = ["ucum": ucum, "display": words]
            }
            return .object(object)
        }
    }
}

extension HealthMeasure {
    fileprivate var unitJSON: JSON {
        [
            "healthKit": .string(healthKitUnit.text), "ucum": .string(unit.ucum), "display": .string(unit.display),
            "scale": .number(JSONNumber(scale)),
        ]
    }
}

extension HealthComponent {
    fileprivate var json: JSON {
        [
            "identifier": .string(identifier), "title": .string(title), "codings": .array(codings.map(\.json)),
            "unit": measure.unitJSON,
        ]
    }
}

extension HealthMetadataKey {
    fileprivate var json: JSON {
        var object = JSONObject()
        object["identifier"] = .string(key)
        object["title"] = .string(title)
        object["codings"] = .array(codings.map(\.json))
        if case .quantity(let measure) = value { object["unit"] = measure.unitJSON }
        return .object(object)
    }
}

extension HealthOption {
    fileprivate var json: JSON {
        ["code": .string(code), "display": .string(display), "aliases": .array(aliases.map(JSON.string))]
    }
}

extension HealthOption {
    /// The description of a component whose value is a time.
    fileprivate var partJSON: JSON {
        ["identifier": .string(code), "title": .string(display), "codings": concept["coding"] ?? []]
    }
}

extension HealthMessageShape {
    fileprivate var json: JSON {
        [
            "valueKey": .string(valueKey), "unitKey": .string(unitKey), "unit": .string(unit),
            "healthKitUnit": .string(healthKitUnit.text),
        ]
    }
}

extension ClosedRange<Double> {
    /// The bounds as an object; whole numbers are written without a decimal point.
    fileprivate var json: JSON {
        var object = JSONObject()
        for (name, end) in [("low", lowerBound), ("high", upperBound)] {
            object[name] = JSONNumber(text: ExactDecimal.text(end)).map(JSON.number)
        }
        return .object(object)
    }
}
