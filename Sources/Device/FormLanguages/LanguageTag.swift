/// A language of texts, as a BCP 47 tag (<https://www.rfc-editor.org/info/bcp47>).
///
/// Two tags are equal without regard to case, and `_` is read as `-`.
public struct LanguageTag: Sendable, Hashable {
    /// The tag as it was written.
    public let text: String
    private let key: String

    /// Nil if the text is empty, longer than 100 bytes, or has other characters than letters, digits and hyphens.
    public init?(_ text: String) {
        let key = text.lowercased().replacing("_", with: "-")
        guard !key.isEmpty, key.utf8.count <= 100,
            key.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }),
            key.first != "-", key.last != "-"
        else { return nil }
        self.text = text
        self.key = key
    }

    /// The tags in which a text is looked up, the particular one first: `de-CH`, then `de` (RFC 4647, section 3.4).
    public var fallbacks: [LanguageTag] {
        var parts = key.split(separator: "-")
        var tags = [self]
        while parts.count > 1 {
            parts.removeLast()
            // A single letter introduces the next part, and is no part of its own.
            if parts.count > 1, parts.last?.count == 1 { parts.removeLast() }
            if let tag = LanguageTag(parts.joined(separator: "-")) { tags.append(tag) }
        }
        return tags
    }

    /// Whether two tags are the same language.
    public static func == (left: LanguageTag, right: LanguageTag) -> Bool { left.key == right.key }

    /// Hashes the tag without regard to case.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
