import Core

/// The access that a permission gives: `heartScope` in a request.
public struct PermissionScope: Sendable, Hashable {
    /// Whether records may be read only, or written too.
    public enum Access: String, Sendable, Hashable, CaseIterable {
        /// Reading and searching.
        case read
        /// Creating and updating as well.
        case write
    }

    /// The resource types of a permission.
    public enum Types: Sendable, Hashable {
        /// All types that a permission can have: `*`.
        case all
        /// These types, at least one.
        case listed([String])

        /// Maximum number of listed types.
        public static let limit = 200

        /// The text of `resourceScope`: `*`, or the types separated by commas.
        public var text: String {
            switch self {
            case .all: "*"
            case .listed(let types): types.joined(separator: ",")
            }
        }

        /// Reads the text of `resourceScope`; nil if a name is not that of a type, occurs twice or is empty.
        public init?(_ text: String) {
            if text == "*" {
                self = .all
                return
            }
            let types = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard types.count <= Self.limit, types.allSatisfy(ResourceName.isType), Set(types).count == types.count
            else { return nil }
            self = .listed(types)
        }
    }

    /// The codes of v3-Confidentiality, the lowest first.
    public static let confidentialities = ["U", "L", "M", "N", "R", "V"]
    /// The value of `permissionType`.
    public static let permissionType = "patient"
    /// Maximum number of sensitivities.
    public static let sensitivityLimit = 64

    /// Reading, or writing too.
    public let access: Access
    /// The maximum confidentiality of a visible record: one of ``confidentialities``.
    public let confidentiality: String
    /// The codes of sensitive records that are visible (v3-ActCode).
    public let sensitivities: [String]
    /// The resource types.
    public let types: Types

    /// Creates a scope. Throws ``PermissionError`` `bad_field`.
    public init(
        access: Access, confidentiality: String = "N", sensitivities: [String] = [], types: Types = .all
    ) throws(PermissionError) {
        guard Self.confidentialities.contains(confidentiality) else {
            throw .field("confidentialityScope", "must be one of \(Self.confidentialities.joined(separator: ", "))")
        }
        guard sensitivities.count <= Self.sensitivityLimit, sensitivities.allSatisfy(Self.isCode),
            Set(sensitivities).count == sensitivities.count
        else { throw .field("sensitivityScope", "must have up to \(Self.sensitivityLimit) different codes") }
        guard let types = Types(types.text) else {
            throw .field("resourceScope", "must be * or different resource types separated by commas")
        }
        self.access = access
        self.confidentiality = confidentiality
        self.sensitivities = sensitivities
        self.types = types
    }

    /// Reads `heartScope`. Throws ``PermissionError`` `malformed`, `bad_field`.
    public init(json: JSON) throws(PermissionError) {
        let fields = try CsiFields(
            json,
            required: ["accessType", "confidentialityScope", "permissionType", "resourceScope", "sensitivityScope"])
        guard let access = Access(rawValue: try fields.text("accessType")) else {
            throw .field("accessType", "must be read or write")
        }
        _ = try fields.text("permissionType", rule: "must be \(Self.permissionType)") { $0 == Self.permissionType }
        guard let types = Types(try fields.text("resourceScope")) else {
            throw .field("resourceScope", "must be * or different resource types separated by commas")
        }
        let confidentiality = try fields.text("confidentialityScope")
        let sensitivities = try fields.texts("sensitivityScope", limit: Self.sensitivityLimit)
        try self.init(access: access, confidentiality: confidentiality, sensitivities: sensitivities, types: types)
    }

    /// The value of `heartScope`.
    public var json: JSON {
        [
            "accessType": .string(access.rawValue), "confidentialityScope": .string(confidentiality),
            "permissionType": .string(Self.permissionType), "resourceScope": .string(types.text),
            "sensitivityScope": .array(sensitivities.map { .string($0) }),
        ]
    }

    /// Whether a text has the syntax of a code: 1 to 64 letters, digits, `-`, `_` and `.` of ASCII.
    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                CsiText.isWordByte($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            }
    }
}
