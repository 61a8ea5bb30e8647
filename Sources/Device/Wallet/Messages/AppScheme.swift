/// The URL scheme of an app, to which a wallet answers (RFC 3986 section 3.1): 1 to 64 letters, digits, `+`, `-` and `.`
/// of ASCII that begin with a letter.
///
/// Schemes of the web and of the system are refused: a message must not open a page, a file or a script. A scheme proves
/// nothing, because any app can claim it.
public struct AppScheme: Sendable, Hashable, CustomStringConvertible {
    /// The scheme as it was written.
    public let text: String

    /// The scheme of the wallet.
    public static let wallet = "FBlocksCSA"
    /// Schemes that no app has, in lower case.
    private static let refused: Set<String> = [
        "about", "blob", "chrome", "content", "data", "facetime", "file", "filesystem", "ftp", "ftps", "geo", "http",
        "https", "imap", "intent", "itms", "itms-apps", "jar", "javascript", "ldap", "ldaps", "mailto", "maps", "nfs",
        "resource", "sftp", "shortcuts", "smb", "sms", "ssh", "tel", "telnet", "tributary", "urn", "vbscript",
        "view-source", "ws", "wss", "x-apple-helpbasic", "fblockscsa",
    ]

    /// Reads a scheme; nil for anything else.
    public init?(_ text: String) {
        guard Self.isScheme(text), !Self.refused.contains(text.lowercased()) else { return nil }
        self.text = text
    }

    /// Whether a text has the syntax of a scheme.
    static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    public var description: String { text }
}
