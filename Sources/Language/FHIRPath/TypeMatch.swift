import FHIR

/// Types by name, and whether an item has a type (<https://hl7.org/fhirpath/N1/#types>).
enum TypeMatch {
    static let systemTypes: Set<String> = [
        "Any", "Boolean", "String", "Integer", "Long", "Decimal", "Date", "DateTime", "Time",
        "Quantity",
    ]

    /// Refuses a type that neither FHIR nor FHIRPath defines.
    static func require(_ type: TypeSpecifier) throws(FHIRPathError) {
        guard
            type.type.isKnown || systemTypes.contains(type.name) || TypeModel.r4.type(type.name) != nil
        else {
            throw FHIRPathError(
                .execution, code: "unknown-type", message: "There is no type of this name: correct it.",
                at: type.location)
        }
    }

    /// - Parameter isExact: whether a primitive must have the type itself. `as` and `ofType` treat primitives as
    ///   independent types, so that `as(uri)` finds no canonical; `is` follows the inheritance
    ///   (<https://hl7.org/fhir/R4/fhirpath.html#types>).
    static func matches(
        _ value: FHIRPathValue, _ type: TypeSpecifier, isExact: Bool = false
    ) throws(FHIRPathError) -> Bool {
        try require(type)
        switch value {
        case .element(let element):
            guard type.type.isKnown, element.type.isKnown else { return false }
            if isExact, type.isPrimitive, NameIndex.shared.isPrimitive(element.type) {
                return element.type == type.type
            }
            return NameIndex.shared.isSubtype(element.type, of: type.type)
        case .typeInfo: return false
        default:
            guard type.namespace != "FHIR" else { return false }
            return type.name == systemName(value) || type.name == "Any"
        }
    }

    /// The name of a value's type in the namespace System.
    static func systemName(_ value: FHIRPathValue) -> String {
        switch value {
        case .element: ""
        case .boolean: "Boolean"
        case .string: "String"
        case .integer: "Integer"
        case .long: "Long"
        case .decimal: "Decimal"
        case .temporal(let value):
            value.kind == .date ? "Date" : value.kind == .time ? "Time" : "DateTime"
        case .quantity: "Quantity"
        case .typeInfo: "TypeInfo"
        }
    }

    /// Returns the result of `type()` for an item.
    static func info(_ value: FHIRPathValue) -> FHIRPathValue {
        guard case .element(let element) = value else {
            return .typeInfo(namespace: "System", name: systemName(value))
        }
        // Elements inside of a resource have no type name of their own: they are BackboneElements.
        let model = TypeModel.r4
        var type = element.type
        if model.kind(of: type) == .backbone { type = model.base(of: type) ?? type }
        return .typeInfo(namespace: "FHIR", name: model.name(of: type))
    }
}
