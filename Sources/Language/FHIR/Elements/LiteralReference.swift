/// The literal text of a reference to a resource on a server: `Patient/23`, `https://example.org/fhir/Patient/23`
/// (<https://hl7.org/fhir/R4/references.html#literal>).
public struct LiteralReference: Sendable, Hashable {
    /// The type of the resource.
    public let type: String
    /// The id of the resource.
    public let id: String
    /// The server's base, without a last slash; nil where the reference is relative.
    public let base: String?

    /// Reads a reference, of which a version is left out; nil for `#contained`, `urn:` and all that does not end in a
    /// type and an id.
    public init?(_ text: String) {
        guard !text.hasPrefix("#"), !text.hasPrefix("urn:") else { return nil }
        var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        if let history = parts.lastIndex(of: "_history") { parts.removeSubrange(history...) }
        guard parts.count >= 2, Resource.isID(String(parts[parts.count - 1])) else { return nil }
        let type = String(parts[parts.count - 2])
        guard Resource.isTypeName(type) else { return nil }
        // A server's name is no type: `http://X/a` has an empty part before it.
        guard parts.count < 3 || !parts[parts.count - 3].isEmpty else { return nil }
        self.type = type
        id = String(parts[parts.count - 1])
        base = parts.count < 3 ? nil : String(text[..<parts[parts.count - 3].endIndex])
    }
}
