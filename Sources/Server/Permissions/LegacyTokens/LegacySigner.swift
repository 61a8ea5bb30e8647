import Storage
import Wire

/// A csi that has not ended, with its key.
struct LegacySigner: Sendable, Hashable {
    let guid: CsiGuid
    let key: P256PublicKey

    /// Returns the csi with a guid; nil if there is none, or if it has ended.
    static func find(_ guid: CsiGuid, in transaction: any SQLTransaction) throws -> LegacySigner? {
        guard let csi = try CsiInstance.find(guid, in: transaction), csi.endedAt == nil else { return nil }
        return LegacySigner(guid: guid, key: csi.key)
    }
}
