/// A JSON value that keeps all information of a FHIR document: the order of members, unknown members, and the digits of
/// numbers as they were written.
///
/// FHIR requires that `1.00` stays `1.00`: <https://hl7.org/fhir/R4/json.html#primitive>.
public enum JSON: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with the digits it was written with.
    case number(JSONNumber)
    /// A string with its escapes resolved.
    case string(String)
    /// An array, in order.
    case array([JSON])
    /// An object, its members in order.
    case object(JSONObject)
}

extension JSON {
    /// Maximum nesting depth of arrays and objects in a text that is read. The limit keeps input from exhausting the
    /// stack.
    package static let maximumDepth = 192

    /// The text of a JSON string, or nil for any other value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of a JSON boolean, or nil for any other value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The JSON number, or nil for any other value.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number as an integer; nil if the value is not a number or does not fit 64 bits.
    public var integer: Int? { number?.integer }

    /// The elements of a JSON array, or nil for any other value.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

    /// The JSON object, or nil for any other value.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// Whether this is JSON's `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The member of an object; nil if the value is not an object or has no such member. Setting nil removes the
    /// member.
    ///
    /// Setting a member of a value that is not an object replaces it by an object with that one member.
    public subscript(key: String) -> JSON? {
        get { object?[key] }
        set { withMembers { $0[key] = newValue } }
    }

    /// Changes the members of an object without a copy. A value that is not an object becomes one.
    public mutating func withMembers<Outcome>(_ change: (inout JSONObject) -> Outcome) -> Outcome {
        var members = object ?? JSONObject()
        // The members must have only one reference while they change; otherwise all of them would be copied.
        self = .null
        defer { self = .object(members) }
        return change(&members)
    }

    /// Changes the elements of an array without a copy. A value that is not an array becomes one.
    public mutating func withElements<Outcome>(_ change: (inout [JSON]) -> Outcome) -> Outcome {
        var elements = array ?? []
        self = .null
        defer { self = .array(elements) }
        return change(&elements)
    }

    /// The element of an array; nil if the value is not an array or the index is out of range.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Returns the value at a path of member names; nil if one of them is missing.
    public func at(_ path: String...) -> JSON? {
        var value = self
        for key in path {
            guard let next = value[key] else { return nil }
            value = next
        }
        return value
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }

    /// Creates an object with the members in the order in which they are written.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
