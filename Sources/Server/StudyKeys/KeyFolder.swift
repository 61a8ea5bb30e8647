import Foundation
import Storage
import Wire

/// Private keys that open submissions: PEM files in one folder with mode 0700, each file with mode 0600.
///
/// A key's file name begins with its time of creation, so that the newest key of a kind is the current one; older ones
/// stay to open older messages. A copy of the public keys is written outside of this folder for the receiver, which
/// never reads the folder.
package struct KeyFolder: Sendable {
    /// Folder of the private keys.
    package let url: URL
    /// File of the public keys, a JWK set.
    package let publicSetURL: URL

    /// Passphrase of the protected keys.
    let passphrase: KeyPassphrase

    package init(url: URL, publicSetURL: URL, passphrase: KeyPassphrase = KeyPassphrase(file: nil)) {
        self.url = url
        self.publicSetURL = publicSetURL
        self.passphrase = passphrase
    }

    /// A key with its file.
    package struct Entry: Sendable {
        package let file: String
        package let key: PrivateKey
        package let state: State
        /// Whether new messages are sealed to the key.
        package var isCurrent: Bool { state == .current }
    }

    /// State of a key.
    package enum State: String, Sendable, Hashable {
        /// New messages are sealed to it.
        case current
        /// Opens messages that were sealed to it before a newer key was made.
        case retired
        /// Revoked (``revoke(_:now:)``); opens messages that were sealed to it before devices received the new set.
        case revoked
    }

    /// Returns all keys, newest first; empty if the folder does not exist.
    ///
    /// - Throws: ``StudyKeyError`` for a folder or file that cannot be read, or that others than its owner can access.
    package func entries() throws -> [Entry] {
        let names: [String]
        do throws(FileAccessError) {
            names = try FileAccess.names(in: url) ?? []
        } catch {
            throw StudyKeyError(code: "keys-unreadable", message: error.message)
        }
        var seen: Set<KeyKind> = []
        return try names.filter { $0.hasSuffix(Self.suffix) }.sorted(by: >).map { name in
            let key = try read(name)
            let state: State =
                name.hasSuffix(Self.revokedSuffix) ? .revoked : seen.insert(key.kind).inserted ? .current : .retired
            return Entry(file: name, key: key, state: state)
        }
    }

    /// Returns all private keys, the current ones first.
    package func privateKeys() throws -> [PrivateKey] {
        let entries = try entries()
        return entries.filter(\.isCurrent).map(\.key) + entries.filter { !$0.isCurrent }.map(\.key)
    }

    /// Returns the keys for new messages: P-256 first, because it opens faster, then RSA for C3-PRO.
    package func currentPublicKeys() throws -> [PublicKey] {
        let current = try entries().filter(\.isCurrent).map(\.key.publicKey)
        return current.filter { $0.kind == .p256 } + current.filter { $0.kind == .rsa }
    }

    /// Generates an RSA-2048 and a P-256 key, which become the current ones, and publishes their public keys.
    package func generate(now: Date) throws -> [PrivateKey] {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let keys = try make([.rsa, .p256], now: now)
        try publish()
        return keys
    }

    /// Generates keys of the given kinds, which become the current ones.
    @discardableResult
    func make(_ kinds: [KeyKind], now: Date) throws -> [PrivateKey] {
        try kinds.map { kind in
            var key = try Self.generate(kind)
            // A name that begins with a hyphen would be an option on a command line.
            while key.keyID.hasPrefix("-") { key = try Self.generate(kind) }
            try writePrivate(key.pem, to: "\(Self.stamp(now))-\(kind.rawValue)-\(key.keyID.prefix(12))\(Self.suffix)")
            return key
        }
    }

    private static func generate(_ kind: KeyKind) throws -> PrivateKey {
        try kind == .rsa ? PrivateKey.generateRSA() : PrivateKey.generateP256()
    }

    /// Returns the keys to publish: the current ones, and those of recipients, with the study if it is given.
    ///
    /// - Throws: errors of reading the keys; ``Wire/WireError`` `recipients-invalid` if there is no key.
    package func publishedKeys(study: String? = nil) throws -> PublishedKeys {
        try PublishedKeys(own: currentPublicKeys(), others: recipients(), study: study)
    }

    /// Writes the public keys for the receiver.
    package func publish() throws { try publish(publishedKeys()) }

    /// Writes the unsigned set without the study; the receiver adds it.
    func publish(_ keys: PublishedKeys) throws {
        let set = try PublishedKeys(own: keys.own, others: keys.others)
        try PrivateFile.write(set.jwks, to: publicSetURL, permissions: 0o644)
    }

    private func read(_ name: String) throws -> PrivateKey {
        guard let text = try privateText(name), let key = try? PrivateKey(pem: text) else {
            throw StudyKeyError(
                code: "key-file-unreadable", message: "The key file \(name) has no RSA or P-256 private key in PEM.")
        }
        return key
    }

    static let suffix = ".private.pem"
    static let revokedSuffix = ".revoked.private.pem"

    private static func stamp(_ date: Date) -> String {
        // Milliseconds keep two rotations within one second in order.
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMdd'T'HHmmssSSS'Z'"
        return formatter.string(from: date)
    }
}
