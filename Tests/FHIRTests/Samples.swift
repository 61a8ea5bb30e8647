import FHIR

/// Objects with every element of a type, in every type that the element allows.
enum Samples {
    static func objects(of type: TypeModel.TypeID) -> [JSONObject] {
        let maximum = TypeModel.r4.elements(of: type).map(\.types.count).max() ?? 1
        return (0..<maximum).map { object(of: type, typeIndex: $0) }
    }

    /// The names of all members, without the siblings of primitives.
    static func keys(of type: TypeModel.TypeID) -> [String] {
        TypeModel.r4.elements(of: type).flatMap { element in
            element.types.map { key(of: element, as: $0.type) }
        }
    }

    private static func key(of element: TypeModel.Element, as type: TypeModel.TypeID) -> String {
        guard element.isChoice else { return element.name }
        let name = TypeModel.r4.name(of: type)
        return element.name + name.prefix(1).uppercased() + name.dropFirst()
    }

    private static func object(of type: TypeModel.TypeID, typeIndex: Int) -> JSONObject {
        let model = TypeModel.r4
        var object = JSONObject()
        if model.kind(of: type) == .resource { object["resourceType"] = .string(model.name(of: type)) }
        for element in model.elements(of: type) {
            let chosen = element.types[typeIndex % element.types.count].type
            let key = key(of: element, as: chosen)
            let value = value(of: chosen)
            object[key] = element.isRepeated ? [value, value] : value
            let isID = element.isAttribute || element.path == "Resource.id" || model.name(of: chosen) == "xhtml"
            guard model.isPrimitive(chosen), !isID else { continue }
            object["_" + key] = element.isRepeated ? [.null, ["id": "i"]] : ["id": "i"]
        }
        return object
    }

    private static func value(of type: TypeModel.TypeID) -> JSON {
        switch TypeModel.r4.name(of: type) {
        case "boolean": true
        case "integer", "unsignedInt", "positiveInt": 7
        case "decimal": JSONNumber(text: "1.50").map(JSON.number) ?? .null
        case "date": "2020-01"
        case "dateTime", "instant": "2020-01-02T03:04:05+02:00"
        case "time": "01:02:03"
        case "Resource": ["resourceType": "Basic", "x": 1]
        case _ where TypeModel.r4.isPrimitive(type): "x"
        default: ["id": "i"]
        }
    }
}
