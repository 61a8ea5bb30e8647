import AccessPolicy
import Foundation
import Storage

/// A permission of a person for a csi, as a token carries it.
struct CarriedPermission: Sendable, Hashable {
    /// The id.
    let id: String
    /// The Patient whose records it covers.
    let patient: String
    /// Types, access, labels and period.
    let limits: PermissionLimits

    init(id: String, patient: String, limits: PermissionLimits) {
        self.id = id
        self.patient = patient
        self.limits = limits
    }

    /// Reads a row with the columns ``columns``. Throws ``Storage/StorageError`` if it is damaged.
    init(_ row: SQLRow) throws {
        id = try row.text("id")
        patient = try row.text("participant")
        limits = try PermissionLimits(stored: row)
    }

    private static let columns = """
        p.id, p.participant, p.access, p.resource_types, p.confidentiality, p.sensitivities, p.starts_at, p.ends_at
        """

    /// Permissions in force of a csi, the oldest first. Parameters: csi, now, now, maximum number.
    static let inForceSQL = """
        SELECT \(columns) FROM access_permission p
        WHERE p.grantee = ? AND p.ended_at IS NULL AND p.starts_at <= ? AND p.ends_at > ? ORDER BY p.number LIMIT ?
        """
    /// The same of one Patient only. Parameters: csi, now, now, Patient, maximum number.
    static let inForceOfPatientSQL = """
        SELECT \(columns) FROM access_permission p
        WHERE p.grantee = ? AND p.ended_at IS NULL AND p.starts_at <= ? AND p.ends_at > ? AND p.participant = ?
        ORDER BY p.number LIMIT ?
        """
    /// Permissions of a token that were not ended. Parameters: authorization, now.
    static let carriedSQL = """
        SELECT \(columns) FROM token_permission t JOIN access_permission p ON p.id = t.permission_id
        WHERE t.authorization_id = ? AND p.ended_at IS NULL AND p.ends_at > ? ORDER BY t.permission_id
        """
    /// The Patient of the wallet on the device of a csi. Parameter: csi.
    static let walletSQL = """
        SELECT w.participant FROM csi c JOIN csi w ON w.device_id = c.device_id
        WHERE c.guid = ? AND w.participant IS NOT NULL AND w.ended_at IS NULL
        """
    /// A csi that has not ended. Parameter: csi.
    static let instanceSQL = """
        SELECT 1 AS one FROM csi c JOIN registered_client r ON r.id = c.guid
        WHERE c.guid = ? AND c.ended_at IS NULL AND r.revoked_at IS NULL
        """
    /// The row of a token.
    static let insertion = SQLInsertion<CarriedPermission, String>(
        into: "token_permission", columns: [SQLColumn("permission_id") { SQLValue($0.id) }],
        shared: [SQLColumn("authorization_id") { SQLValue($0) }])
}
