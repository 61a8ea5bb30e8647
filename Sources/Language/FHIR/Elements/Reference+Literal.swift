extension Reference {
    /// A reference by its literal text.
    public init(_ reference: String) {
        self.init()
        self.reference = reference
    }

    /// The type and id of a relative or absolute literal reference, without a version; nil for `#contained`,
    /// `urn:` and logical references.
    public var literal: (type: String, id: String)? {
        reference.flatMap { LiteralReference($0) }.map { ($0.type, $0.id) }
    }

    /// The name of the type that a text means: by itself, or by the URL of the type's definition
    /// (<https://hl7.org/fhir/R4/references-definitions.html#Reference.type>).
    public static func typeName(stated text: String) -> String {
        let home = "http://hl7.org/fhir/StructureDefinition/"
        return text.hasPrefix(home) ? String(text.dropFirst(home.count)) : text
    }
}
