import Foundation
import Wire

// Keys that sign and open nothing: the root's, which signs the published set, and the one that signs links.
extension KeyFolder {
    /// A P-256 key that signs; nil where there is no such file.
    ///
    /// - Throws: ``ConsumerError`` for a file that others can read, that is under a passphrase which is not at hand, or that
    ///   holds no such key.
    func signingKey(_ file: URL) throws -> P256SigningKey? {
        let name = file.lastPathComponent
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let text = try privateText(name), let key = try? P256SigningKey(pem: text) else {
            throw ConsumerError(
                code: "key-file-unreadable", message: "The file \(name) holds no P-256 private key in PEM.")
        }
        return key
    }

    /// Makes a key that signs. One that is here stays.
    func makeSigningKey(_ file: URL) throws -> P256SigningKey {
        if let key = try signingKey(file) { return key }
        var key = try P256SigningKey()
        // A name that begins with a hyphen is an option's to whoever writes it on a command line.
        while key.publicKey.keyID.hasPrefix("-") { key = try P256SigningKey() }
        try writePrivate(key.pem, to: file.lastPathComponent)
        return key
    }
}
