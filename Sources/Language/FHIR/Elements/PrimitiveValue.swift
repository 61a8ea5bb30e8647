/// A Swift value that is written as one JSON value: FHIR's primitives
/// (<https://hl7.org/fhir/R4/datatypes.html#primitive>).
public protocol PrimitiveValue: Sendable, Hashable {
    /// Creates the value from JSON; nil if it has another type or does not follow FHIR's format.
    init?(json: JSON)

    /// The value as JSON.
    var json: JSON { get }
}

extension String: PrimitiveValue {
    /// Creates the text of a JSON string; nil for any other value.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self = text
    }

    /// The text as a JSON string.
    public var json: JSON { .string(self) }
}

extension Bool: PrimitiveValue {
    /// Creates the value of a JSON boolean; nil for any other value.
    public init?(json: JSON) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }

    /// The value as a JSON boolean.
    public var json: JSON { .bool(self) }
}

extension Int: PrimitiveValue {
    /// Creates the value of a JSON number without fraction and exponent; nil for any other value, and for `-0`, which
    /// `Int` cannot represent.
    public init?(json: JSON) {
        guard case .number(let number) = json, let value = number.integer, number.text != "-0" else { return nil }
        self = value
    }

    /// The value as a JSON number.
    public var json: JSON { .number(JSONNumber(self)) }
}

extension JSONNumber: PrimitiveValue {
    /// Creates the JSON number with its digits; nil for any other value.
    public init?(json: JSON) {
        guard case .number(let number) = json else { return nil }
        self = number
    }

    /// The number as JSON, with its digits.
    public var json: JSON { .number(self) }
}

extension DateTime: PrimitiveValue {
    /// Creates the date or date and time of a JSON string; nil for any other value, and for a text that is not a date
    /// of FHIR.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }

    /// The text as a JSON string.
    public var json: JSON { .string(text) }
}

extension TimeOfDay: PrimitiveValue {
    /// Creates the time of a JSON string; nil for any other value, and for a text that is not a time of FHIR.
    public init?(json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }

    /// The text as a JSON string.
    public var json: JSON { .string(text) }
}
