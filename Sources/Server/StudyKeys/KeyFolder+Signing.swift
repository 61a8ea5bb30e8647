import Foundation
import Wire

// Keys for signing, which open nothing: the root key, which signs the published set, and the key that signs links.
extension KeyFolder {
    /// Returns a P-256 signing key; nil if there is no such file.
    ///
    /// - Throws: ``StudyKeyError`` for a file that others can read, whose passphrase is not available, or that contains
    ///   no such key.
    func signingKey(_ file: URL) throws -> P256SigningKey? {
        let name = file.lastPathComponent
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let text = try privateText(name), let key = try? P256SigningKey(pem: text) else {
            throw StudyKeyError(
                code: "key-file-unreadable", message: "The file \(name) contains no P-256 private key in PEM.")
        }
        return key
    }

    /// Creates a signing key, or returns the existing one.
    func makeSigningKey(_ file: URL) throws -> P256SigningKey {
        if let key = try signingKey(file) { return key }
        var key = try P256SigningKey()
        // A name that begins with a hyphen would be an option on a command line.
        while key.publicKey.keyID.hasPrefix("-") { key = try P256SigningKey() }
        try writePrivate(key.pem, to: file.lastPathComponent)
        return key
    }
}
