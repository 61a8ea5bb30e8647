import Foundation
import Wire

// Key that signs links to records of the site: P-256, only for this purpose. It opens nothing.
extension KeyFolder {
    /// File of the link key.
    package var linkKeyURL: URL { url.appendingPathComponent("links.pem") }

    /// Returns the link key; nil if the study has not created one, or it is missing.
    ///
    /// - Throws: ``StudyKeyError`` `key-file-open` for a file that others can read, `key-file-unreadable` for one that
    ///   contains no such key.
    package func linkKey() throws -> P256SigningKey? { try signingKey(linkKeyURL) }

    /// Creates the link key, or returns the existing one.
    ///
    /// - Throws: ``StudyKeyError`` `keys-missing` if the folder is missing; errors of ``linkKey()``; `file-unwritable`.
    package func makeLinkKey() throws -> P256SigningKey {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StudyKeyError(
                code: "keys-missing",
                message: "Links are signed with a key in keys/, but the folder is missing; restore it.")
        }
        return try makeSigningKey(linkKeyURL)
    }
}
