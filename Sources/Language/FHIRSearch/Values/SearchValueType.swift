import FHIR

/// The types of elements that searches distinguish (<https://hl7.org/fhir/R4/datatypes.html>).
package enum SearchValueType: UInt8, Sendable {
    case boolean, integer, decimal, date, code, id, text, uri, canonical
    case coding, codeableConcept, identifier, contactPoint
    case humanName, address
    case period, timing, quantity, money, range
    case reference, resource, `extension`
    /// A type without a rule for any kind of parameter: `SampledData`, `Attachment`.
    case other

    package static func of(_ type: TypeModel.TypeID) -> SearchValueType {
        type.isKnown ? byType[Int(type.index)] : .other
    }

    /// Whether its JSON form is a string with text or a URI.
    var isPrimitiveText: Bool {
        switch self {
        case .code, .id, .text, .uri, .canonical: true
        default: false
        }
    }

    private static let byType: [SearchValueType] = (0..<Int32(TypeModel.r4.typeCount)).map { index in
        let model = TypeModel.r4
        let type = TypeModel.TypeID(index: index)
        if model.kind(of: type) == .resource { return .resource }
        let name = model.name(of: type)
        if let form = byName[name] { return form }
        // Age, Count, Distance, Duration and similar types are quantities.
        return model.type("Quantity").map { model.isSubtype(type, of: $0) } ?? false ? .quantity : .other
    }

    private static let byName: [String: SearchValueType] = [
        "boolean": .boolean, "integer": .integer, "positiveInt": .integer, "unsignedInt": .integer,
        "decimal": .decimal, "date": .date, "dateTime": .date, "instant": .date, "code": .code, "id": .id,
        "string": .text, "markdown": .text, "uri": .uri, "url": .uri, "oid": .uri, "uuid": .uri,
        "canonical": .canonical, "Coding": .coding, "CodeableConcept": .codeableConcept, "Identifier": .identifier,
        "ContactPoint": .contactPoint, "HumanName": .humanName, "Address": .address, "Period": .period,
        "Timing": .timing, "Money": .money, "Range": .range, "Reference": .reference, "Extension": .extension,
    ]
}
