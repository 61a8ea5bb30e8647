import Foundation
import Wire

// The key that signs links to records of the site: P-256, for this purpose alone. It opens nothing.
extension KeyFolder {
    /// The link key's file.
    public var linkKeyURL: URL { url.appendingPathComponent("links.pem") }

    /// The key that signs links; nil where the study has made none, or it is away.
    ///
    /// - Throws: ``ConsumerError`` `key-file-open` for a file that others can read, `key-file-unreadable` for one that holds
    ///   no such key.
    public func linkKey() throws -> P256SigningKey? { try signingKey(linkKeyURL) }

    /// Makes the key that signs links. One that is here stays.
    ///
    /// - Throws: ``ConsumerError`` `keys-missing` where the folder is away, else as ``linkKey()``; `file-unwritable`.
    public func makeLinkKey() throws -> P256SigningKey {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw ConsumerError(
                code: "keys-missing",
                message: "Links are signed with a key in keys/, which is not there; bring it back.")
        }
        return try makeSigningKey(linkKeyURL)
    }
}
