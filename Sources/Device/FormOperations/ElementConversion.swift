import FHIR
import FHIRPath
import Foundation

/// Converts an answer, or a value of an expression, to the type of an element
/// (<https://hl7.org/fhir/uv/sdc/extraction.html>: not all types of elements are types of questions).
enum ElementConversion {
    /// Returns the value as JSON of the type; nil if the type cannot have it.
    ///
    /// - Parameter unit: the unit of a number that becomes a Quantity.
    static func json(_ value: FHIRPathValue, as type: TypeModel.TypeID, unit: Coding? = nil) -> JSON? {
        let model = TypeModel.r4
        let json = value.json
        guard type.isKnown else { return json.isNull ? nil : json }
        if model.isPrimitive(type) { return primitive(json, value.typeName, as: model.name(of: type)) }
        guard let object = json.object else { return complex(json, as: type, unit: unit) }
        if type == model.resourceType {
            return object["resourceType"] == nil ? nil : json
        }
        if let found = model.type(value.typeName), model.isSubtype(found, of: type) || isQuantity(found, type) {
            return json
        }
        switch (value.typeName, model.name(of: type)) {
        case ("Coding", "CodeableConcept"): return ["coding": [json]]
        case ("CodeableConcept", "Coding"): return object["coding"]?[0]
        default: break
        }
        if type == model.referenceType, let name = object["resourceType"]?.string, let id = object["id"]?.string {
            return Reference("\(name)/\(id)").json
        }
        return nil
    }

    /// Whether one of the types is a Quantity, and the other one a Quantity or derived from it.
    private static func isQuantity(_ left: TypeModel.TypeID, _ right: TypeModel.TypeID) -> Bool {
        guard let quantity = TypeModel.r4.type("Quantity") else { return false }
        return TypeModel.r4.isSubtype(left, of: quantity) && TypeModel.r4.isSubtype(right, of: quantity)
    }

    /// Returns a primitive value as a complex type.
    private static func complex(_ json: JSON, as type: TypeModel.TypeID, unit: Coding?) -> JSON? {
        let model = TypeModel.r4
        if let quantity = model.type("Quantity"), model.isSubtype(type, of: quantity), let number = json.number {
            var output = Quantity()
            output.value = number
            if let unit {
                output.unit = unit.display ?? unit.code
                output.system = unit.system
                output.code = unit.code
            }
            return output.json
        }
        guard let text = json.string, !text.isEmpty else { return nil }
        switch model.name(of: type) {
        case "CodeableConcept": return ["text": json]
        case "Reference": return ["reference": json]
        case "Annotation": return ["text": json]
        default: return nil
        }
    }

    // MARK: Primitives

    private static func primitive(_ json: JSON, _ source: String, as type: String) -> JSON? {
        let json = content(json, source, as: type)
        switch type {
        case "boolean": return json.bool.map { .bool($0) }
        case "decimal": return json.number.map { .number($0) }
        case "integer", "positiveInt", "unsignedInt":
            guard let number = json.number, let value = integer(number), abs(value) <= Int(Int32.max) else {
                return nil
            }
            if type != "integer", value < (type == "positiveInt" ? 1 : 0) { return nil }
            return .number(JSONNumber(value))
        case "date": return json.string.flatMap { DateTime(trimmed($0)) }.map { .string($0.dateText) }
        case "dateTime": return json.string.flatMap { DateTime(trimmed($0)) }.map { .string($0.text) }
        case "instant":
            guard let moment = json.string.flatMap({ DateTime($0) }), moment.precision >= .second else { return nil }
            return .string(moment.text)
        case "time": return json.string.flatMap { TimeOfDay($0) }.map { .string($0.text) }
        default: return text(json).flatMap { isText($0, of: type) ? .string($0) : nil }
        }
    }

    /// Returns the part of a complex value that has the primitive type.
    private static func content(_ json: JSON, _ source: String, as type: String) -> JSON {
        guard json.object != nil else { return json }
        let isURI = ["uri", "url", "canonical", "oid", "uuid"].contains(type)
        let part: JSON? =
            switch (source, type) {
            case ("Coding", "code"), ("Coding", "id"): json["code"]
            case ("Coding", _): json["display"] ?? json["code"]
            case ("CodeableConcept", "code"): json["coding"]?[0]?["code"]
            case ("CodeableConcept", _): json["text"] ?? json["coding"]?[0]?["display"]
            case ("Quantity", "decimal"), ("Quantity", "integer"), ("Quantity", "positiveInt"),
                ("Quantity", "unsignedInt"):
                json["value"]
            case ("Reference", "string"): json["reference"]
            case ("Reference", _) where isURI: json["reference"]
            case ("Attachment", "base64Binary"): json["data"]
            case ("Attachment", _) where isURI: json["url"]
            default: nil
            }
        return part ?? .null
    }

    /// Returns a whole number, also of a decimal without a fraction.
    private static func integer(_ number: JSONNumber) -> Int? {
        if let value = number.integer { return value }
        guard let decimal = number.decimal else { return nil }
        let whole = NSDecimalNumber(decimal: decimal).int64Value
        return Decimal(whole) == decimal ? Int(whole) : nil
    }

    /// FHIRPath writes a dateTime without a time as `2026-01-31T`.
    private static func trimmed(_ text: String) -> String { text.hasSuffix("T") ? String(text.dropLast()) : text }

    private static func text(_ json: JSON) -> String? {
        switch json {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }

    /// Whether a text follows the format of a primitive type (<https://hl7.org/fhir/R4/datatypes.html#primitive>).
    private static func isText(_ text: String, of type: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 1_048_576 else { return false }
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        switch type {
        case "id": return Resource.isID(text)
        case "uri", "url", "canonical", "oid", "uuid": return !text.contains(where: isSpace)
        case "code":
            return !isSpace(text.first ?? " ") && !isSpace(text.last ?? " ") && !text.contains("  ")
                && !text.contains { $0.isNewline || $0 == "\t" }
        case "base64Binary": return Data(base64Encoded: text, options: .ignoreUnknownCharacters) != nil
        case "string", "markdown": return !text.allSatisfy(isSpace)
        default: return true
        }
    }

    // MARK: Choices

    /// Returns the type of a choice that a value has: the value's own type, or the first of the choice's types to
    /// which it can be converted.
    ///
    /// - Parameter permitted: the names of the types that a profile permits; nil if it does not restrict them.
    static func choice(
        _ value: FHIRPathValue, among types: [TypeModel.Target], permitted: [String]?, unit: Coding?
    ) -> TypeModel.TypeID? {
        let model = TypeModel.r4
        let possible = types.map(\.type).filter { permitted?.contains(model.name(of: $0)) ?? true }
        let isNumber = ["integer", "decimal"].contains(value.typeName)
        if isNumber, unit != nil, let quantity = possible.first(where: { model.name(of: $0) == "Quantity" }) {
            return quantity
        }
        if let same = possible.first(where: { model.name(of: $0) == value.typeName }) { return same }
        let preferred = preferences[value.typeName] ?? []
        let ranked = preferred.compactMap { name in possible.first { model.name(of: $0) == name } } + possible
        return ranked.first { json(value, as: $0, unit: unit) != nil }
    }

    /// The types of elements that are nearest to the type of an answer.
    private static let preferences: [String: [String]] = [
        "Coding": ["CodeableConcept", "code"], "integer": ["decimal", "Quantity"],
        "decimal": ["Quantity"], "date": ["dateTime"], "dateTime": ["instant", "date"],
        "string": ["markdown", "code", "uri"], "uri": ["url", "canonical", "string"], "code": ["string"],
    ]
}

extension FHIRPathValue {
    /// Creates the value of a choice, such as an answer or the value of an extension.
    init?(_ choice: (some ChoiceValue)?, sibling: PrimitiveElement? = nil) {
        guard let choice, !choice.json.isNull else { return nil }
        let suffix = choice.type
        let model = TypeModel.r4
        let type = model.type(suffix) ?? model.type(suffix.prefix(1).lowercased() + suffix.dropFirst())
        self = .element(TypedElement(choice.json, sibling: sibling?.object, type: type ?? .unknown))
    }
}
