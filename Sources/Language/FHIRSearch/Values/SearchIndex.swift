import Core
import Crypto

/// The forms of texts in a search index. Pure.
package enum SearchIndex {
    /// Returns the form of a system or a code in the index. A text that exceeds a key of PostgreSQL
    /// (https://www.postgresql.org/docs/current/btree.html, a third of a page) is replaced by its digest, in searches
    /// as well.
    package static func indexed(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return digestPrefix + Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
    }

    /// Whether a text of the index may be the digest of a longer one.
    package static func isDigest(_ text: String) -> Bool { text.hasPrefix(digestPrefix) }

    private static let digestPrefix = "sha256:"

    private static let longest = 500
}
