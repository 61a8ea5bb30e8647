/// The literal text of a reference to a resource on a server: `Patient/23`, `https://example.org/fhir/Patient/23`
/// (<https://hl7.org/fhir/R4/references.html#literal>).
public struct LiteralReference: Sendable, Hashable {
    /// The type of the resource.
    public let type: String
    /// The id of the resource.
    public let id: String
    /// The server's base URL, without a trailing slash; nil if the reference is relative.
    public let base: String?

    /// Reads a reference and ignores its version; nil for `#contained`, `urn:` and everything that does not end in a
    /// type and an id.
    public init?(_ text: String) {
        var text = text
        // The segments are read from the end, so that only the end of a long text is read.
        let found: (type: String, id: String, base: String?)? = text.withUTF8 { bytes in
            guard !bytes.starts(with: "#".utf8), !bytes.starts(with: "urn:".utf8) else { return nil }
            let slash = UInt8(ascii: "/")
            // 1. The last `_history` and everything after it are not part of the reference.
            var end = bytes.count
            var start = end
            while start >= 0 {
                let part = LiteralReference.start(ofPartBefore: start, bytes)
                if bytes[part..<start].elementsEqual("_history".utf8) {
                    guard part > 0 else { return nil }
                    end = part - 1
                    break
                }
                start = part - 1
            }
            // 2. The type and the id, and the base URL before them.
            let id = LiteralReference.start(ofPartBefore: end, bytes)
            guard id > 0 else { return nil }
            let type = LiteralReference.start(ofPartBefore: id - 1, bytes)
            // The name of a server is not a type: in `http://X/a` it follows an empty segment.
            if type > 0 { guard type > 1, bytes[type - 2] != slash else { return nil } }
            return (
                String(decoding: bytes[type..<(id - 1)], as: UTF8.self),
                String(decoding: bytes[id..<end], as: UTF8.self),
                type == 0 ? nil : String(decoding: bytes[..<(type - 1)], as: UTF8.self)
            )
        }
        guard let found, Resource.isTypeName(found.type), Resource.isID(found.id) else { return nil }
        (type, id, base) = (found.type, found.id, found.base)
    }

    /// Whether the reference is to a resource of the server with some base URLs: it is relative, or begins with one of
    /// them (<https://hl7.org/fhir/R4/references.html#literal>).
    ///
    /// - Parameter ownBases: the server's base URLs, without a trailing slash.
    public func isLocal(to ownBases: [String]) -> Bool { base.map(ownBases.contains) ?? true }

    /// Returns the start of the segment that ends before an offset.
    private static func start(ofPartBefore end: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var offset = end
        while offset > 0, bytes[offset - 1] != UInt8(ascii: "/") { offset -= 1 }
        return offset
    }
}
