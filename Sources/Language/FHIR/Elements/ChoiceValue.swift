/// The value of an element that has a choice of types, such as `value[x]`
/// (<https://hl7.org/fhir/R4/formats.html#choice>).
///
/// A value of a type that the choice does not allow, and a value that is malformed for its type, is kept in the case
/// `unrecognized`, with the suffix of its name and its JSON.
public protocol ChoiceValue: Sendable, Hashable {
    /// Creates the value of a member whose name ends in the type: `Quantity` for `valueQuantity`.
    init(type: String, json: JSON)

    /// The name of the type as the suffix of the member's name, such as `Quantity`.
    var type: String { get }

    /// The value's JSON.
    var json: JSON { get }
}

extension ChoiceValue {
    /// Whether two values have the same type and JSON.
    public static func == (left: Self, right: Self) -> Bool { left.type == right.type && left.json == right.json }

    /// Hashes the type and the JSON.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(json)
    }
}
