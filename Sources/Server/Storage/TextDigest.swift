import Crypto
import Foundation

/// Half of the SHA-256 of a text's UTF-8, by which rows are found that a longer text is the key of: an index of digests is a
/// fraction of one of the texts, so that of it more is in memory and fewer pages change where many rows come. Of 128 bits no two
/// are alike by chance, and whoever wants two alike has 2^64 of them to make.
///
/// Statements have it as a function, ``function``, of both engines.
public enum TextDigest {
    /// The name of the function of one text, which of null is null.
    public static let function = "text_digest"

    /// So many bytes has a digest.
    public static let length = 16

    /// The digest of a text.
    public static func of(_ text: String) -> Data {
        whole(text).first(length)
    }

    /// The SHA-256 of a text's UTF-8.
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
    /// The first bytes of a digest.
    public func first(_ count: Int) -> Data { withUnsafeBytes { Data($0.prefix(count)) } }
}
