import Storage
import Wire

/// A csi that a request names, with the facts that decide whether the caller sees it. Reading them costs the same for a
/// csi that exists and for one that does not.
struct NamedCsi {
    private let row: SQLRow?

    /// Reads the row of a guid.
    init(_ guid: CsiGuid, in transaction: any SQLTransaction) throws {
        row = try transaction.first(CsiInstance.sql, [SQLValue(guid.text)])
    }

    /// The id of the device; nil if the csi does not exist.
    var deviceID: String? { row?.textIfPresent("device_id") }

    /// The id of the Patient, for a wallet that was bound; also after its end.
    var patient: String? { row?.textIfPresent("participant") }

    /// Whether the csi exists and has not ended.
    var isInUse: Bool { row.map { $0["ended_at"] == .null && $0["revoked_at"] == .null } ?? false }

    /// The id of the Patient, if the csi is a wallet in use.
    var wallet: String? { isInUse ? patient : nil }

    /// Returns the csi; nil if it does not exist.
    func instance() throws -> CsiInstance? { try row.map { try CsiInstance($0) } }
}
