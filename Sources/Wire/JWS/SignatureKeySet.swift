import Core
import Foundation

/// The public keys by which somebody else signs: a JWK set (RFC 7517 section 5), as a client registers it or serves it.
public struct SignatureKeySet: Sendable, Hashable {
    /// One key, with what its JWK says of it.
    struct Entry: Sendable, Hashable {
        let keyID: String
        let algorithm: SignatureAlgorithm?
        let key: SignatureKey
    }

    private let entries: [Entry]

    /// Bytes beyond which nothing is read.
    public static let maximumBytes = 65_536
    /// Keys beyond which a set is refused.
    public static let maximumKeys = 32

    /// Reads a set. Keys of kinds that are not used, for another use than signatures or without an id are left out, for a
    /// set may serve others too; a private one makes the whole set unusable.
    ///
    /// - Throws: ``WireError`` `key-malformed` where it is no set or has no key that can be used, `key-is-private`.
    public init(reading bytes: Data) throws(WireError) {
        guard bytes.count <= Self.maximumBytes, let list = JSON(reading: bytes)?["keys"]?.array,
            list.count <= Self.maximumKeys
        else { throw WireError(.keyMalformed, "This is no JWK set of at most \(Self.maximumKeys) keys.") }
        var entries: [Entry] = []
        for jwk in list {
            do throws(WireError) {
                guard let entry = try Self.entry(jwk) else { continue }
                entries.append(entry)
            } catch {
                guard error.reason != .keyIsPrivate else { throw error }
            }
        }
        guard !entries.isEmpty else {
            throw WireError(.keyMalformed, "The JWK set has no public key with a kid for ES256, ES384, RS256 or RS384.")
        }
        self.entries = entries
    }

    /// The one key that a JWS names: by its id and its type (RFC 7515 section 6). None where the set has no such key, or
    /// two of them, or where the key is for another algorithm.
    public func key(for jws: JWS) -> SignatureKey? {
        guard let keyID = jws.keyID else { return nil }
        let named = entries.filter { $0.keyID == keyID && $0.key.keyType == jws.algorithm.keyType }
        guard named.count == 1, let entry = named.first, entry.key.algorithms.contains(jws.algorithm),
            entry.algorithm ?? jws.algorithm == jws.algorithm
        else { return nil }
        return entry.key
    }

    private static func entry(_ jwk: JSON) throws(WireError) -> Entry? {
        let key = try SignatureKey(jwk: jwk)
        guard let keyID = jwk["kid"]?.string, !keyID.isEmpty else { return nil }
        if let use = jwk["use"] { guard use.string == "sig" else { return nil } }
        if let operations = jwk["key_ops"] {
            guard operations.array?.contains(where: { $0.string == "verify" }) ?? false else { return nil }
        }
        guard let name = jwk["alg"] else { return Entry(keyID: keyID, algorithm: nil, key: key) }
        guard let algorithm = name.string.flatMap(SignatureAlgorithm.init(rawValue:)),
            key.algorithms.contains(algorithm)
        else { return nil }
        return Entry(keyID: keyID, algorithm: algorithm, key: key)
    }
}
