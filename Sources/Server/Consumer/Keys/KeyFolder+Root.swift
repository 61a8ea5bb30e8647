import Foundation
import Wire

// The study's root key signs the set of public keys and opens nothing. Whoever holds it can give phones other keys to seal
// to: it may be kept away from the server, and brought back to sign.
extension KeyFolder {
    /// The root key's file.
    public var rootURL: URL { url.appendingPathComponent("root.pem") }

    /// Where the signed set is written, beside the unsigned one, for the receiver.
    public var signedSetURL: URL { publicSetURL.deletingPathExtension().appendingPathExtension("jws") }

    /// How long a signed set is in force, in seconds: 30 days.
    public static let signedSetLifetime: TimeInterval = 30 * 86_400

    /// The root key; nil where it is not here, or another account's alone.
    ///
    /// - Throws: ``ConsumerError`` for a file that others can read, or that holds no such key.
    public func rootKey() throws -> P256SigningKey? {
        guard FileManager.default.isReadableFile(atPath: rootURL.path) else { return nil }
        return try signingKey(rootURL)
    }

    /// Makes the root key. One that is here stays.
    public func makeRootKey() throws -> P256SigningKey { try makeSigningKey(rootURL) }

    /// Publishes the current keys: as they are, and signed where the root key is here.
    ///
    /// - Returns: the signed set and the root's fingerprint; nil where the root key is not here: then phones that know it go
    ///   on with the set that was signed last.
    @discardableResult
    public func publish(study: String, now: Date) throws -> (set: Data, fingerprint: String)? {
        let own = try currentPublicKeys()
        guard !own.isEmpty else { return nil }
        let keys = try PublishedKeys(own: own, others: recipients(), study: study)
        try publish(keys)
        guard let root = try rootKey() else { return nil }
        // A phone refuses a set that is older than its own, by the second: each is later than the one before.
        let before = FileManager.default.contents(atPath: signedSetURL.path)
            .flatMap { try? SignedKeySet(reading: $0, root: root.publicKey.keyID, study: study, now: now).issuedAt }
        let issuedAt = before.map { max(now, $0.addingTimeInterval(1)) } ?? now
        let set = try SignedKeySet.sign(
            keys, issuedAt: issuedAt, expiresAt: issuedAt.addingTimeInterval(Self.signedSetLifetime), with: root)
        try PrivateFile.write(set, to: signedSetURL, permissions: 0o644)
        return (set, root.publicKey.keyID)
    }
}
