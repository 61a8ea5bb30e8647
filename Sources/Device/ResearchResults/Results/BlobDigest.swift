import Core

/// The SHA-256 of a file, such as the image of a signature: 64 hexadecimal digits in lower case.
///
/// The module computes no digest. The phone and the server have the bytes, and compare them with this value.
public struct BlobDigest: Sendable, Hashable, CustomStringConvertible {
    /// The 64 digits.
    public let text: String

    /// Reads a digest; nil for anything but 64 hexadecimal digits in lower case, so that a file has one name.
    public init?(_ text: String) {
        guard text.utf8.count == 64,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Creates the digest from the 32 bytes of a SHA-256; nil for another number of bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        text = Hexadecimal.text(bytes)
    }

    /// Reads the digest in a member of a body; nil if the member is absent or `null`.
    ///
    /// - Throws: ``ResearchResultError`` `digest-invalid`.
    package static func member(_ name: String, of json: JSON) throws(ResearchResultError) -> BlobDigest? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let digest = value.string.flatMap({ BlobDigest($0) }) else {
            throw ResearchResultError(.digestInvalid, at: "$.\(name)")
        }
        return digest
    }

    public var description: String { text }
}
