import Core

/// An error in a collection of templates, with its path.
package struct TemplateError: CodedError, Hashable {
    /// The kind of error, stable across versions.
    package enum Kind: String, Sendable {
        /// The file is not a collection of templates.
        case notACollection = "template-not-a-collection"
        /// The kind of a template or of a value is unknown.
        case kindUnknown = "template-kind-unknown"
        /// A member is missing.
        case memberMissing = "template-member-missing"
        /// A value is not allowed for the member.
        case valueInvalid = "template-value-invalid"
        /// An expression cannot be read.
        case expressionInvalid = "template-expression-invalid"
        /// Two templates have one type name.
        case typeRepeated = "template-type-repeated"
    }

    package let kind: Kind
    /// The path in the file, for example `template[2].values[0].valueExpression`.
    package let path: String
    /// A sentence on how to correct it.
    package let message: String

    /// The stable code.
    package var code: String { kind.rawValue }

    init(_ kind: Kind, at path: String, reason: String) {
        self.kind = kind
        self.path = path
        message = "\(path): \(reason)"
    }
}
