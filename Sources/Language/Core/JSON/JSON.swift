/// A JSON value that keeps everything a FHIR document says: the order of members, members it does not know,
/// and numbers with the digits they were written with.
///
/// FHIR requires that `1.00` stays `1.00`: <https://hl7.org/fhir/R4/json.html#primitive>.
public enum JSON: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number with the digits it was written with.
    case number(JSONNumber)
    /// A text, its escapes resolved.
    case string(String)
    /// An array, in order.
    case array([JSON])
    /// An object, its members in order.
    case object(JSONObject)
}

extension JSON {
    /// How deep arrays and objects may be nested in a text that is read; more is refused so that no input exhausts the stack.
    package static let maximumDepth = 192

    /// The text of a JSON string, or nil for any other value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The value of a JSON boolean, or nil for any other value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The JSON number, or nil for any other value.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number as an integer, or nil where it is none or does not fit 64 bits.
    public var integer: Int? { number?.integer }

    /// The elements of a JSON array, or nil for any other value.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

    /// The JSON object, or nil for any other value.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// Whether this is JSON's `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The member of an object; nil where this is no object or has no such member. Setting nil removes the member.
    ///
    /// Setting a member of something that is no object replaces it by an object with that one member.
    public subscript(key: String) -> JSON? {
        get { object?[key] }
        set { withMembers { $0[key] = newValue } }
    }

    /// Changes the members of an object in place; what is no object becomes one.
    public mutating func withMembers<Outcome>(_ change: (inout JSONObject) -> Outcome) -> Outcome {
        var members = object ?? JSONObject()
        // The members must not be held twice while they change, or all of them would be copied.
        self = .null
        defer { self = .object(members) }
        return change(&members)
    }

    /// Changes the elements of an array in place; what is no array becomes one.
    public mutating func withElements<Outcome>(_ change: (inout [JSON]) -> Outcome) -> Outcome {
        var elements = array ?? []
        self = .null
        defer { self = .array(elements) }
        return change(&elements)
    }

    /// The element of an array; nil where this is no array or the index is outside of it.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The value at a path of member names, nil as soon as one is missing.
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

    /// An object with the members in the order they are written in.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
