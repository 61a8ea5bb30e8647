import Core

/// An error in a collection of templates, with its place.
public struct TemplateError: CodedError, Hashable {
    /// The kind of error, stable across versions.
    public enum Kind: String, Sendable {
        /// The file is no collection of templates.
        case notACollection = "template-not-a-collection"
        /// A kind of template or of value that is not known.
        case kindUnknown = "template-kind-unknown"
        /// A member is missing.
        case memberMissing = "template-member-missing"
        /// A value is not one that the member takes.
        case valueInvalid = "template-value-invalid"
        /// An expression cannot be read.
        case expressionInvalid = "template-expression-invalid"
        /// Two templates have one type name.
        case typeRepeated = "template-type-repeated"
    }

    public let kind: Kind
    /// The place in the file, for example `template[2].values[0].valueExpression`.
    public let place: String
    /// A sentence on what to do.
    public let message: String

    /// The stable code.
    public var code: String { kind.rawValue }

    init(_ kind: Kind, _ place: String, _ what: String) {
        self.kind = kind
        self.place = place
        message = "\(place): \(what)"
    }
}
