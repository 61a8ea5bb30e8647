import FHIR
import Foundation

/// One item of a collection: an element of a resource, or a value that an expression created.
public enum FHIRPathValue: Sendable {
    /// An element of a resource.
    case element(TypedElement)
    /// A truth value.
    case boolean(Bool)
    /// A text.
    case string(String)
    /// An integer of 32 bits, as specified.
    case integer(Int)
    /// An integer of 64 bits.
    case long(Int)
    /// A number with its scale.
    case decimal(FHIRPathDecimal)
    // Indirect, because otherwise every item of every collection would be twice as large.
    /// A date, a date with a time, or a time of day.
    indirect case temporal(TemporalValue)
    /// A number with a unit.
    indirect case quantity(QuantityValue)
    /// The result of `type()`.
    indirect case typeInfo(namespace: String, name: String)

    /// The name of the type: FHIR's for elements (`HumanName`), otherwise `boolean`, `string`, `integer`, `decimal`,
    /// `date`, `dateTime`, `time`, `Quantity`, `TypeInfo`.
    public var typeName: String {
        switch self {
        case .element(let element): element.typeName
        case .boolean: "boolean"
        case .string: "string"
        case .integer: "integer"
        case .long: "integer64"
        case .decimal: "decimal"
        case .temporal(let value):
            switch value.kind {
            case .date: "date"
            case .dateTime: "dateTime"
            case .time: "time"
            }
        case .quantity: "Quantity"
        case .typeInfo: "TypeInfo"
        }
    }

    /// The item as JSON: numbers with their digits, dates and times in FHIR's format, quantities as FHIR's Quantity.
    public var json: JSON {
        switch self {
        case .element(let element): element.value
        case .boolean(let value): .bool(value)
        case .string(let value): .string(value)
        case .integer(let value), .long(let value): .number(JSONNumber(value))
        case .decimal(let value): JSONNumber(text: value.text).map(JSON.number) ?? .null
        case .temporal(let value): .string(value.text)
        case .quantity(let value): value.json
        case .typeInfo(let namespace, let name):
            ["namespace": .string(namespace), "name": .string(name)]
        }
    }
}

/// Kinds of system values to which operators convert elements: the implicit conversions of
/// <https://hl7.org/fhir/R4/fhirpath.html#types>.
enum SystemKind: UInt8, Sendable {
    case none, boolean, integer, decimal, string, date, dateTime, time, quantity

    /// The kind of each type of R4, by number.
    static let byType: [SystemKind] = {
        let model = TypeModel.r4
        let quantity = model.type("Quantity") ?? .unknown
        return (0..<Int32(model.typeCount)).map { index in
            let type = TypeModel.TypeID(index: index)
            switch model.name(of: type) {
            case "boolean": return .boolean
            case "integer", "unsignedInt", "positiveInt": return .integer
            case "decimal": return .decimal
            case "date": return .date
            case "dateTime", "instant": return .dateTime
            case "time": return .time
            default:
                if model.isPrimitive(type) { return .string }
                return model.isSubtype(type, of: quantity) ? .quantity : .none
            }
        }
    }()

    static func of(_ element: TypedElement) -> SystemKind {
        element.type.isKnown ? byType[Int(element.type.index)] : .none
    }
}

extension FHIRPathValue {
    /// The value for operators: the content of a primitive or a Quantity; any other item unchanged.
    var system: FHIRPathValue {
        guard case .element(let element) = self else { return self }
        switch (SystemKind.of(element), element.value) {
        case (.boolean, .bool(let value)): return .boolean(value)
        case (.integer, .number(let number)): return number.integer.map(FHIRPathValue.integer) ?? self
        case (.decimal, .number(let number)):
            return FHIRPathDecimal(text: number.text).map(FHIRPathValue.decimal) ?? self
        case (.string, .string(let text)): return .string(text)
        case (.date, .string(let text)):
            return TemporalValue(date: text).map(FHIRPathValue.temporal) ?? .string(text)
        case (.dateTime, .string(let text)):
            return TemporalValue(dateTime: text).map(FHIRPathValue.temporal) ?? .string(text)
        case (.time, .string(let text)):
            return TemporalValue(time: text).map(FHIRPathValue.temporal) ?? .string(text)
        case (.quantity, .object): return QuantityValue(element).map(FHIRPathValue.quantity) ?? self
        case (.none, .bool(let value)) where !element.type.isKnown: return .boolean(value)
        case (.none, .string(let text)) where !element.type.isKnown: return .string(text)
        case (.none, .number(let number)) where !element.type.isKnown:
            if let value = number.integer { return .integer(value) }
            return FHIRPathDecimal(text: number.text).map(FHIRPathValue.decimal) ?? self
        default: return self
        }
    }
}
