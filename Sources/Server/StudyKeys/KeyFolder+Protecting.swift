import Foundation
import Storage
import Wire

// Private keys in keys/ are stored unencrypted or under a passphrase.
extension KeyFolder {
    /// Returns the decrypted text of a private key's file; nil if the file does not exist.
    ///
    /// - Throws: ``StudyKeyError`` `key-file-open` if others than its owner may read it, `key-passphrase-missing` or
    ///   `key-passphrase-wrong` for a protected key, and errors of reading the passphrase.
    package func privateText(_ name: String) throws -> String? { try privateText(name, trying: [passphrase]) }

    private func privateText(_ name: String, trying passphrases: [KeyPassphrase]) throws -> String? {
        let path = url.appendingPathComponent(name).path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let attributes, let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
            throw StudyKeyError(
                code: "key-file-open", message: "The key file \(name) can be read by others; make it 0600 (chmod 600).")
        }
        let data: Data?
        do throws(FileAccessError) {
            data = try FileAccess.contents(of: URL(fileURLWithPath: path))
        } catch {
            throw StudyKeyError(code: "key-file-unreadable", message: error.message)
        }
        guard let text = data.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
        guard PrivateKey.isProtected(pem: text) else { return text }
        let words = try passphrases.compactMap { try $0.text() }
        guard !words.isEmpty else {
            throw StudyKeyError(
                code: "key-passphrase-missing",
                message:
                    "The key file \(name) has a passphrase: name the passphrase file (0600) in the variable "
                    + "\(KeyPassphrase.environmentName), or use systemd's credential \(KeyPassphrase.credentialName).")
        }
        for word in words {
            if let opened = ProtectedPrivateKey.open(text, passphrase: word) { return opened }
        }
        throw StudyKeyError(
            code: "key-passphrase-wrong",
            message:
                "The passphrase does not open the key file \(name); set the path of the right file in the variable "
                + "\(KeyPassphrase.environmentName).")
    }

    /// Writes a private key, protected by the passphrase if there is one.
    ///
    /// - Parameter pem: key in unencrypted PEM.
    /// - Throws: ``StudyKeyError`` `file-unwritable`, `key-file-unreadable`, and errors of reading the passphrase.
    package func writePrivate(_ pem: String, to name: String) throws {
        try write(pem, to: name, under: passphrase)
    }

    /// Rewrites all private keys under a passphrase.
    ///
    /// - Returns: the number of keys.
    /// - Throws: ``StudyKeyError``; then some keys may already be under the new passphrase, and repeating the call
    ///   completes the change.
    package func protect(by new: KeyPassphrase) throws -> Int {
        guard try new.text() != nil else {
            throw StudyKeyError(code: "key-passphrase-missing", message: "There is no passphrase.")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted().filter {
            $0.hasSuffix(".pem") && !$0.hasPrefix(".")
        }
        // Read all keys before the first one is written.
        let texts = try names.map { name in
            guard let text = try privateText(name, trying: [passphrase, new]) else {
                throw StudyKeyError(code: "key-file-unreadable", message: "The key file \(name) cannot be read.")
            }
            return text
        }
        for (name, text) in zip(names, texts) { try write(text, to: name, under: new) }
        return names.count
    }

    private func write(_ pem: String, to name: String, under passphrase: KeyPassphrase) throws {
        var text = pem
        if let word = try passphrase.text() {
            guard let sealed = ProtectedPrivateKey.protect(pem, passphrase: word) else {
                throw StudyKeyError(
                    code: "key-file-unreadable", message: "The key for \(name) cannot be protected by a passphrase.")
            }
            text = sealed
        }
        try PrivateFile.write(Data(text.utf8), to: url.appendingPathComponent(name), permissions: 0o600)
    }
}
