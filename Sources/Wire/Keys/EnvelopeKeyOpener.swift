import Foundation

/// A holder of private keys that performs the two operations for opening an envelope.
///
/// ``KeySet`` implements it with swift-crypto. Another implementation may use another library or a key store that never
/// reveals a key.
///
/// Contract: an operation throws any error for an unknown key id, a damaged input or a wrong key. The caller turns
/// every error into `envelope-unreadable` and never reveals which it was.
public protocol EnvelopeKeyOpener: Sendable {
    /// Returns the ids of the keys of a kind, the current one first. They are tried in this order if an envelope names
    /// none.
    func keyIDs(of kind: KeyKind) -> [String]

    /// Unwraps a content key by RSAES-OAEP (RFC 8017 section 7.1) with an empty label, MGF1 with the same hash.
    func unwrapRSAOAEP(_ wrappedKey: Data, keyID: String, hash: OAEPHash) throws -> Data

    /// Agrees by ECDH on P-256 with an ephemeral public key. Returns the shared x coordinate, 32 bytes.
    func agreeP256(keyID: String, ephemeral: P256PublicKey) throws -> Data
}

/// Private keys in memory, used through swift-crypto.
public struct KeySet: EnvelopeKeyOpener {
    /// The keys, the current ones first.
    public let keys: [PrivateKey]

    /// Creates a set from keys, the current ones first.
    public init(_ keys: [PrivateKey]) { self.keys = keys }

    public func keyIDs(of kind: KeyKind) -> [String] {
        keys.filter { $0.kind == kind }.map(\.keyID)
    }

    public func unwrapRSAOAEP(_ wrappedKey: Data, keyID: String, hash: OAEPHash) throws -> Data {
        for case .rsa(let key) in keys where key.publicKey.keyID == keyID {
            return try key.unwrap(wrappedKey, hash: hash)
        }
        throw WireError.unreadable
    }

    public func agreeP256(keyID: String, ephemeral: P256PublicKey) throws -> Data {
        for case .p256(let key) in keys where key.publicKey.keyID == keyID {
            return try key.agree(with: ephemeral)
        }
        throw WireError.unreadable
    }
}

extension EnvelopeKeyOpener {
    /// Returns the keys to try for an envelope: the one it names first, then all others of the kind, because C3-PRO's
    /// apps name keys in their own ways (an empty text, a fixed word) and other senders may name none.
    func candidates(of kind: KeyKind, named keyID: String?) -> [String] {
        let ids = keyIDs(of: kind)
        guard let keyID, ids.contains(keyID) else { return ids }
        return [keyID] + ids.filter { $0 != keyID }
    }
}
