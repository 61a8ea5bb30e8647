import Core
import Foundation
import Storage
import Wire

/// A csi that has not ended, with its key.
struct LegacySigner: Sendable, Hashable {
    let guid: CsiGuid
    let key: P256PublicKey

    /// Returns the csi with a guid; nil if there is none, if it has ended, or if it has no usable key.
    static func find(_ guid: CsiGuid, in transaction: any SQLTransaction) throws -> LegacySigner? {
        guard let row = try transaction.first(CsiInstance.sql, [SQLValue(guid.text)]),
            try CsiInstance(row).endedAt == nil, let set = row.textIfPresent("key_set"),
            let key = key(of: guid, inSet: set)
        else { return nil }
        return LegacySigner(guid: guid, key: key)
    }

    /// Returns the key of a csi in its JWK set: the only one whose `kid` is the guid.
    private static func key(of guid: CsiGuid, inSet text: String) -> P256PublicKey? {
        let keys = JSON(reading: Data(text.utf8))?["keys"]?.array ?? []
        let own = keys.filter { $0["kid"]?.string == guid.text }
        guard own.count == 1, case .p256(let key)? = try? SignatureKey(jwk: own[0]) else { return nil }
        return key
    }
}
