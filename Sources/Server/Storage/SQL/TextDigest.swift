import Crypto
import Foundation

/// First half of the SHA-256 of a text's UTF-8, used as a key instead of a longer text. An index of digests is much
/// smaller than one of texts, so more of it fits in memory and inserting many rows changes fewer pages. With 128 bits,
/// accidental collisions do not occur, and a deliberate one needs about 2^64 attempts.
///
/// Both engines provide it to statements as ``function``.
public enum TextDigest {
    /// Name of the function of one text; null for null.
    public static let function = "text_digest"

    /// Length of a digest in bytes.
    public static let length = 16

    /// Returns the digest of a text.
    public static func of(_ text: String) -> Data {
        whole(text).first(length)
    }

    /// Returns the complete SHA-256 of a text's UTF-8.
    public static func whole(_ text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }
}

extension SHA256Digest {
    /// Returns the first bytes of a digest.
    public func first(_ count: Int) -> Data { withUnsafeBytes { Data($0.prefix(count)) } }
}
