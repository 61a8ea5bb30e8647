import Core

/// An error in a supplement to the table of types, with its path.
public struct HealthTypeTableError: CodedError, Hashable {
    /// The kind of error, stable across versions.
    public enum Kind: String, Sendable {
        /// The supplement or a part of it is not an object.
        case notAnObject = "supplement-not-an-object"
        /// A member is unknown.
        case memberUnknown = "supplement-member-unknown"
        /// A member is missing.
        case memberMissing = "supplement-member-missing"
        /// The member does not permit the value.
        case valueInvalid = "supplement-value-invalid"
        /// A unit cannot be parsed.
        case unitInvalid = "supplement-unit-invalid"
        /// HealthKit's unit and the UCUM code have different dimensions or sizes.
        case unitMismatch = "supplement-unit-mismatch"
        /// An identifier occurs twice, or is in the table already.
        case identifierRepeated = "supplement-identifier-repeated"
        /// The member has no meaning for this kind of type.
        case memberNotOfKind = "supplement-member-not-of-kind"
    }

    /// The kind of error.
    public let kind: Kind
    /// The path in the file, for example `types[2].unit.ucum`; empty for the whole file.
    public let path: String
    /// A sentence with the remedy.
    public let message: String

    /// The stable code.
    public var code: String { kind.rawValue }

    init(_ kind: Kind, at path: String, _ what: String) {
        self.kind = kind
        self.path = path
        message = path.isEmpty ? what : "\(path): \(what)"
    }
}
