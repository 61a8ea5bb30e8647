import Core
import Foundation
import Storage
import Wire

/// A csi: an app on a device. The csi of a wallet is bound to a Patient.
package struct CsiInstance: Sendable, Hashable {
    /// The role of the person who uses an app, as the site assigned it.
    package enum CareRole: String, Sendable, Hashable, CaseIterable {
        case provider, caregiver
    }

    package let guid: CsiGuid
    /// The name of the app.
    package let name: String
    /// The id of the device, as the app stated it.
    package let deviceID: String
    package let claims: PublicClaims
    package let role: CareRole?
    /// The id of the Patient, for a wallet that was bound; also after its end.
    package let patient: String?
    /// The key that signs its calls.
    package let key: P256PublicKey
    package let createdAt: Date
    /// The time at which it was ended; nil while it is in use.
    package let endedAt: Date?

    /// Whether it is bound to a Patient: the wallet of this Patient and of its device.
    package var isWallet: Bool { patient != nil }

    init(_ row: SQLRow) throws {
        let text = try row.text("guid")
        guard let guid = CsiGuid(text) else {
            throw StorageError(code: "storage-failed", message: "The guid of a csi is damaged.")
        }
        self.guid = guid
        name = try row.text("name")
        deviceID = try row.text("device_id")
        claims =
            try row.textIfPresent("claims").flatMap { JSON(reading: Data($0.utf8)) }
            .map { try PublicClaims(json: $0) } ?? PublicClaims()
        role = row.textIfPresent("role").flatMap(CareRole.init(rawValue:))
        patient = row.textIfPresent("participant")
        key = try CsiKeySet.key(reading: try row.text("key_set"))
        createdAt = try row.date("created_at")
        // The end of the client is the end of the csi.
        endedAt = row.dateIfPresent("ended_at") ?? row.dateIfPresent("revoked_at")
    }

    /// The columns that a csi is read from.
    private static let selection = """
        SELECT c.guid, c.device_id, c.claims, c.role, c.participant, c.created_at, c.ended_at, r.name, r.key_set,
            r.revoked_at
        FROM csi c JOIN registered_client r ON r.id = c.guid
        """

    /// Parameter: guid. It also finds one that has ended.
    static let sql = selection + " WHERE c.guid = ?"
    /// The csis in the order of their registration.
    static let allSQL = selection + " ORDER BY c.created_at, c.guid"
    /// Parameter: id of a Patient.
    static let walletOfPatientSQL = selection + " WHERE c.participant = ? AND c.ended_at IS NULL"
    /// Parameter: id of a device.
    static let walletOfDeviceSQL =
        selection + " WHERE c.device_id = ? AND c.participant IS NOT NULL AND c.ended_at IS NULL"

    /// Returns the csi with a guid, also one that has ended; nil if there is none.
    static func find(_ guid: CsiGuid, in transaction: any SQLTransaction) throws -> CsiInstance? {
        try transaction.first(sql, [SQLValue(guid.text)]).map { try CsiInstance($0) }
    }

    /// Returns the wallet of a Patient that is in use; nil if there is none.
    static func wallet(ofPatient patient: String, in transaction: any SQLTransaction) throws -> CsiInstance? {
        let wallet = try transaction.first(walletOfPatientSQL, [SQLValue(patient)]).map { try CsiInstance($0) }
        return wallet?.endedAt == nil ? wallet : nil
    }

    /// Returns the wallet of a device that is in use; nil if there is none.
    static func wallet(ofDevice device: String, in transaction: any SQLTransaction) throws -> CsiInstance? {
        let wallet = try transaction.first(walletOfDeviceSQL, [SQLValue(device)]).map { try CsiInstance($0) }
        return wallet?.endedAt == nil ? wallet : nil
    }
}
