extension Reference {
    /// Creates a reference from its literal text.
    public init(_ reference: String) {
        self.init()
        self.reference = reference
    }

    /// The type and id of a relative or absolute literal reference, without a version; nil for `#contained`, `urn:` and
    /// logical references.
    public var literal: (type: String, id: String)? {
        reference.flatMap { LiteralReference($0) }.map { ($0.type, $0.id) }
    }

    /// Returns the name of a type from `Reference.type`: the name itself, or the last segment of the URL of the type's
    /// definition (<https://hl7.org/fhir/R4/references-definitions.html#Reference.type>).
    public static func typeName(stated text: String) -> String {
        let home = "http://hl7.org/fhir/StructureDefinition/"
        return text.hasPrefix(home) ? String(text.dropFirst(home.count)) : text
    }
}
