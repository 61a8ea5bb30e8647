/// A reference to a definition by its canonical URL, `url|version`
/// (<https://hl7.org/fhir/R4/references.html#canonical>).
public struct CanonicalURL: Sendable, Hashable {
    /// The definition's URL without the version. A fragment is part of it if there is no version.
    public let url: String
    /// The version after the first `|`, which may be empty; nil if there is no `|`.
    public let version: String?

    /// Creates the canonical of a definition.
    public init(url: String, version: String?) {
        self.url = url
        self.version = version
    }

    /// Reads a canonical from an element's text.
    public init(_ text: String) {
        guard let bar = text.utf8.firstIndex(of: UInt8(ascii: "|")) else {
            self.init(url: text, version: nil)
            return
        }
        self.init(url: String(text[..<bar]), version: String(text[text.utf8.index(after: bar)...]))
    }

    /// The text of the canonical in an element.
    public var text: String { version.map { "\(url)|\($0)" } ?? url }
}
