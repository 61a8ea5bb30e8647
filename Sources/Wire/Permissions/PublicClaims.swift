import Core

/// The claims of a csi about its person. Each value may be empty; a value identifies the person.
public struct PublicClaims: Sendable, Hashable {
    /// The date of birth, as the app writes it.
    public var dateOfBirth: String
    /// The first name.
    public var firstName: String
    /// The middle name.
    public var middleName: String
    /// The last name.
    public var lastName: String
    /// The gender, as the app writes it.
    public var gender: String

    /// The names of the claims on the wire, in their order.
    public static let names = ["DateofBirth", "FirstName", "MiddleName", "LastName", "Gender"]

    /// Creates claims.
    public init(
        dateOfBirth: String = "", firstName: String = "", middleName: String = "", lastName: String = "",
        gender: String = ""
    ) {
        self.dateOfBirth = dateOfBirth
        self.firstName = firstName
        self.middleName = middleName
        self.lastName = lastName
        self.gender = gender
    }

    private init(values: [String]) {
        self.init(
            dateOfBirth: values[0], firstName: values[1], middleName: values[2], lastName: values[3], gender: values[4])
    }

    /// The values in the order of ``names``.
    public var values: [String] { [dateOfBirth, firstName, middleName, lastName, gender] }

    /// Whether all values are empty.
    public var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

    /// The list of `{"key","value"}`.
    public var json: JSON {
        .array(zip(Self.names, values).map { ["key": .string($0), "value": .string($1)] })
    }

    /// Reads the list: the five claims in their order. Throws ``PermissionError`` `malformed` for another list, and
    /// `bad_field` for a value that breaks a rule (``CsiText``) or has more than 256 bytes.
    public init(json: JSON) throws(PermissionError) {
        let order = "The field publicClaims must list \(Self.names.joined(separator: ", ")) in this order."
        guard let list = json.array, list.count == Self.names.count else { throw .malformed(order) }
        var values: [String] = []
        for (element, name) in zip(list, Self.names) {
            let fields = try CsiFields(element, required: ["key", "value"])
            guard ExactName(text: try fields.text("key")) == ExactName(text: name) else {
                throw .malformed(order)
            }
            let value = try fields.text("value", rule: "must be visible text without | and quotes") {
                $0.utf8.count <= CsiText.maximumClaimBytes && CsiText.isField($0)
            }
            values.append(value)
        }
        self.init(values: values)
    }

    /// The text that version 1 signs: with a space after each colon and between key and value, and none between claims.
    var signedText: String {
        let claims = zip(Self.names, values).map { "{\"key\": \"\($0)\", \"value\": \"\($1)\"}" }
        return "[" + claims.joined(separator: ",") + "]"
    }
}
