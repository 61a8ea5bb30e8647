/// A Swift value that stands as one JSON value: FHIR's primitives (<https://hl7.org/fhir/R4/datatypes.html#primitive>).
public protocol PrimitiveValue: Sendable, Hashable {
    /// The value of the JSON; nil where it is of another type or not written as FHIR asks.
    init?(json: JSON)

    /// The value as JSON.
    var json: JSON { get }
}

extension String: PrimitiveValue {
    /// The text of a JSON string; nil for any other value.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self = text
    }

    /// The text as a JSON string.
    public var json: JSON { .string(self) }
}

extension Bool: PrimitiveValue {
    /// The value of a JSON boolean; nil for any other value.
    public init?(json: JSON) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }

    /// The value as a JSON boolean.
    public var json: JSON { .bool(self) }
}

extension Int: PrimitiveValue {
    /// The value of a JSON number without fraction and exponent; nil for any other value, and for `-0`, which no `Int` is.
    public init?(json: JSON) {
        guard case .number(let number) = json, let value = number.integer, number.text != "-0" else { return nil }
        self = value
    }

    /// The value as a JSON number.
    public var json: JSON { .number(JSONNumber(self)) }
}

extension JSONNumber: PrimitiveValue {
    /// The JSON number with its digits; nil for any other value.
    public init?(json: JSON) {
        guard case .number(let number) = json else { return nil }
        self = number
    }

    /// The number as JSON, with its digits.
    public var json: JSON { .number(self) }
}

extension DateTime: PrimitiveValue {
    /// The date or date and time of a JSON string; nil for any other value, and for text that is no date of FHIR's.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }

    /// The text as a JSON string.
    public var json: JSON { .string(text) }
}

extension TimeOfDay: PrimitiveValue {
    /// The time of a JSON string; nil for any other value, and for text that is no time of FHIR's.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }

    /// The text as a JSON string.
    public var json: JSON { .string(text) }
}
