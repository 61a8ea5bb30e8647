import Core
import Foundation
import Storage
import Wire

/// The key set of a csi's client: one key for ES256, whose id is the guid (RFC 7517).
enum CsiKeySet {
    /// Returns the text of the set.
    static func text(_ key: P256PublicKey, of csi: CsiGuid) -> String {
        let jwk: JSON = [
            "kty": "EC", "crv": "P-256", "x": .string(key.x.base64URL), "y": .string(key.y.base64URL),
            "kid": .string(csi.text), "use": "sig", "alg": "ES256",
        ]
        let set: JSON = ["keys": [jwk]]
        return String(decoding: set.bytes(), as: UTF8.self)
    }

    /// Reads the key. Throws ``Storage/StorageError`` if the set does not contain one such key.
    static func key(reading text: String) throws -> P256PublicKey {
        guard let keys = JSON(reading: Data(text.utf8))?["keys"]?.array, let jwk = keys.first, keys.count == 1,
            case .p256(let key)? = try? SignatureKey(jwk: jwk)
        else { throw StorageError(code: "storage-failed", message: "The key of a csi is damaged.") }
        return key
    }
}
