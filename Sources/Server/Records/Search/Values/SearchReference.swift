import FHIR

/// A value of a reference parameter (<https://hl7.org/fhir/R4/search.html#reference>).
struct SearchReference: Sendable, Hashable {
    /// The type of the resource; of a reference by an identifier alone the one that it states.
    var type: String?
    /// The id of the resource; nil where the reference is no `Type/id`.
    var id: String?
    /// The base of the server where the resource is; nil where the reference is relative. A resource of another server is
    /// another one than that of the same type and id here.
    var base: String?
    /// A reference that is no `Type/id`: `urn:uuid:...`, or the URL of a definition.
    var url: String?
    /// The business version of a canonical.
    var version: String?
    /// The identifier of the reference, for `:identifier`.
    var identifier: SearchToken?

    /// A literal reference; nil for one that nobody can ask for, such as that to a contained resource.
    init?(literal text: String) {
        guard !text.isEmpty, !text.hasPrefix("#"), !SearchToken.hasZero(text) else { return nil }
        if let literal = LiteralReference(text) {
            (type, id) = (literal.type, literal.id)
            base = literal.base.map(SearchIndex.indexed)
        } else {
            url = SearchIndex.indexed(text)
        }
    }

    /// A reference to a definition; one that is written as `Library/23` is one to a resource of this server, too.
    init?(canonical text: String) {
        guard !text.isEmpty, !text.hasPrefix("#"), !SearchToken.hasZero(text) else { return nil }
        let canonical = CanonicalURL(text)
        url = SearchIndex.indexed(canonical.url)
        version = canonical.version.map(SearchIndex.indexed)
        if let literal = LiteralReference(canonical.url), literal.base == nil {
            (type, id) = (literal.type, literal.id)
        }
    }

    /// A reference by an identifier alone.
    init(type: String?, identifier: SearchToken) {
        self.type = type
        self.identifier = identifier
    }

    /// A resource that stands inside of another one, such as the first of a document.
    init?(resource: JSONObject) {
        guard let type = resource["resourceType"]?.string, Resource.isTypeName(type), let id = resource["id"]?.string,
            Resource.isID(id)
        else { return nil }
        self.type = type
        self.id = id
    }
}
