import Foundation
import Wire

// The study's root key signs the set of public keys and opens nothing. Its holder can make phones seal to other keys,
// so it may be stored away from the server, and restored for signing.
extension KeyFolder {
    /// File of the root key.
    package var rootURL: URL { url.appendingPathComponent("root.pem") }

    /// File of the signed set, next to the unsigned one, for the receiver.
    package var signedSetURL: URL { publicSetURL.deletingPathExtension().appendingPathExtension("jws") }

    /// Validity of a signed set in seconds: 30 days.
    package static let signedSetLifetime: TimeInterval = 30 * 86_400

    /// Returns the root key; nil if it is not in the folder, or only another account may read it.
    ///
    /// - Throws: ``StudyKeyError`` for a file that others can read, or that contains no such key.
    package func rootKey() throws -> P256SigningKey? {
        guard FileManager.default.isReadableFile(atPath: rootURL.path) else { return nil }
        return try signingKey(rootURL)
    }

    /// Creates the root key, or returns the existing one.
    package func makeRootKey() throws -> P256SigningKey { try makeSigningKey(rootURL) }

    /// Publishes the current keys, and also a signed set if the root key is in the folder.
    ///
    /// - Returns: the signed set and the root key's fingerprint; nil without the root key: then phones that know the
    ///   root key continue with the last signed set.
    @discardableResult
    package func publish(study: String, now: Date) throws -> (set: Data, fingerprint: String)? {
        let own = try currentPublicKeys()
        guard !own.isEmpty else { return nil }
        let keys = try PublishedKeys(own: own, others: recipients(), study: study)
        try publish(keys)
        guard let root = try rootKey() else { return nil }
        // A phone rejects a set that is older than its own, at a precision of seconds, so each set is later than the
        // previous one.
        let before = FileManager.default.contents(atPath: signedSetURL.path)
            .flatMap { try? SignedKeySet(reading: $0, root: root.publicKey.keyID, study: study, now: now).issuedAt }
        let issuedAt = before.map { max(now, $0.addingTimeInterval(1)) } ?? now
        let set = try SignedKeySet.sign(
            keys, issuedAt: issuedAt, expiresAt: issuedAt.addingTimeInterval(Self.signedSetLifetime), with: root)
        try PrivateFile.write(set, to: signedSetURL, permissions: 0o644)
        return (set, root.publicKey.keyID)
    }
}
