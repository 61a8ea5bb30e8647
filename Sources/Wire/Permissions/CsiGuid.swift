/// The id of a csi, one app on one device: 36 letters, digits and `-` of ASCII, in either case. The server issues it.
public struct CsiGuid: Sendable, Hashable, CustomStringConvertible {
    /// The 36 characters.
    public let text: String

    /// Number of characters.
    public static let length = 36

    /// Reads an id; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy(CsiText.isWordByte) else { return nil }
        self.text = text
    }

    public var description: String { text }
}
