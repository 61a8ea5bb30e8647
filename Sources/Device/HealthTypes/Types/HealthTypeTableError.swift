import Core

/// An error in a supplement to the table of types, with its place.
public struct HealthTypeTableError: CodedError, Hashable {
    /// The kind of error, stable across versions.
    public enum Kind: String, Sendable {
        /// The supplement or a part of it is no object.
        case notAnObject = "supplement-not-an-object"
        /// A member is not known.
        case memberUnknown = "supplement-member-unknown"
        /// A member is missing.
        case memberMissing = "supplement-member-missing"
        /// A value is not one that the member takes.
        case valueInvalid = "supplement-value-invalid"
        /// A unit cannot be read.
        case unitInvalid = "supplement-unit-invalid"
        /// HealthKit's unit and the UCUM code are of different dimension or size.
        case unitMismatch = "supplement-unit-mismatch"
        /// An identifier stands twice, or is in the table already.
        case identifierRepeated = "supplement-identifier-repeated"
        /// The member has no meaning for this kind of type.
        case memberNotOfKind = "supplement-member-not-of-kind"
    }

    /// The kind of fault.
    public let kind: Kind
    /// The place in the file, for example `types[2].unit.ucum`; empty for the whole.
    public let place: String
    /// A sentence on what to do.
    public let message: String

    /// The stable code.
    public var code: String { kind.rawValue }

    init(_ kind: Kind, _ place: String, _ what: String) {
        self.kind = kind
        self.place = place
        message = place.isEmpty ? what : "\(place): \(what)"
    }
}
