import Core
import Foundation

/// The public keys with which another party signs: a JWK set (RFC 7517 section 5) that a client registers or serves.
public struct SignatureKeySet: Sendable, Hashable {
    /// One key, with the values of its JWK.
    struct Entry: Sendable, Hashable {
        let keyID: String
        let algorithm: SignatureAlgorithm?
        let key: SignatureKey
    }

    private let entries: [Entry]

    /// Maximum size of a set in bytes.
    public static let maximumBytes = 65_536
    /// Maximum number of keys of a set.
    public static let maximumKeys = 32

    /// Reads a set. Keys of unsupported kinds, for another use than signatures or without an id are ignored, because a
    /// set may also serve others. A private key makes the whole set invalid.
    ///
    /// - Throws: ``WireError`` `key-malformed` if it is not a set or has no usable key, `key-is-private`.
    public init(reading bytes: Data) throws(WireError) {
        guard bytes.count <= Self.maximumBytes, let list = JSON(reading: bytes)?["keys"]?.array,
            list.count <= Self.maximumKeys
        else { throw WireError(.keyMalformed, "This is not a JWK set of up to \(Self.maximumKeys) keys.") }
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

    /// Returns the one key that a JWS names, found by its id and type (RFC 7515 section 6); nil if the set has no such
    /// key, or two of them, or if the key is for another algorithm.
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
