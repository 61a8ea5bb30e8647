import FHIR

/// A value of a reference parameter (<https://hl7.org/fhir/R4/search.html#reference>).
package struct SearchReference: Sendable, Hashable {
    /// The type of the resource; of a reference with only an identifier the one that it states.
    package var type: String?
    /// The id of the resource; nil where the reference is not `Type/id`.
    package var id: String?
    /// The base URL of the resource's server; nil where the reference is relative. A resource of another server is a
    /// different one from the resource with the same type and id here.
    package var base: String?
    /// A reference that is not `Type/id`: `urn:uuid:...`, or the URL of a definition.
    package var url: String?
    /// The business version of a canonical.
    package var version: String?
    /// The identifier of the reference, for `:identifier`.
    package var identifier: SearchToken?

    /// Creates a literal reference; nil where it cannot be searched for, as one to a contained resource.
    package init?(literal text: String) {
        guard !text.isEmpty, !text.hasPrefix("#"), !SearchToken.hasZero(text) else { return nil }
        if let literal = LiteralReference(text) {
            (type, id) = (literal.type, literal.id)
            base = literal.base.map(SearchIndex.indexed)
        } else {
            url = SearchIndex.indexed(text)
        }
    }

    /// Creates a reference to a definition. `Library/23` is also a reference to a resource of this server.
    package init?(canonical text: String) {
        guard !text.isEmpty, !text.hasPrefix("#"), !SearchToken.hasZero(text) else { return nil }
        let canonical = CanonicalURL(text)
        url = SearchIndex.indexed(canonical.url)
        version = canonical.version.map(SearchIndex.indexed)
        if let literal = LiteralReference(canonical.url), literal.base == nil {
            (type, id) = (literal.type, literal.id)
        }
    }

    /// Creates a reference with only an identifier.
    package init(type: String?, identifier: SearchToken) {
        self.type = type
        self.identifier = identifier
    }

    /// Creates a reference to an inline resource, such as the first of a document.
    package init?(resource: JSONObject) {
        guard let type = resource["resourceType"]?.string, Resource.isTypeName(type), let id = resource["id"]?.string,
            Resource.isID(id)
        else { return nil }
        self.type = type
        self.id = id
    }
}
