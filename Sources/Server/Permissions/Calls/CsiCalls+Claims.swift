import Foundation
import Storage
import Wire

extension CsiCalls {
    /// Reads the claims of a csi.
    ///
    /// A csi reads its own claims, and those of the other side of a permission in force. The wallet of a Patient has the
    /// side of all wallets that the Patient had. A wallet also reads the names of the apps on its device, without their
    /// claims. In version 1, which the document's app uses before a permission exists, a csi reads the claims of all csis
    /// with its own device id.
    func claims(
        of guid: CsiGuid, for call: VerifiedCsiCall, in transaction: any SQLTransaction
    ) throws -> CsiEffect {
        // The same work is done for a csi that does not exist, so that the time of the answer reveals nothing: the row is
        // decoded only for a caller who sees it.
        let named = try NamedCsi(guid, in: transaction)
        let isPartner = try Self.isPartner(guid, patient: named.wallet, of: call, in: transaction)
        let isOnDevice = named.isInUse && named.deviceID == call.csi.deviceID
        let showsClaims = guid == call.csi.guid || isPartner || (call.request.version == .v1 && isOnDevice)
        guard showsClaims || (call.csi.isWallet && isOnDevice), let csi = try named.instance() else {
            throw Self.noSuchCsi
        }
        let answer = ClaimsAnswer(claims: showsClaims ? csi.claims : PublicClaims(), applicationClass: csi.name)
        return CsiEffect(answer: answer.json, target: CsiStore.target(guid, of: showsClaims ? csi.patient : nil))
    }

    /// Whether a permission in force connects the caller and a csi, in either direction.
    ///
    /// - Parameter patient: the Patient of the csi, if it is a wallet in use.
    private static func isPartner(
        _ guid: CsiGuid, patient: String?, of call: VerifiedCsiCall, in transaction: any SQLTransaction
    ) throws -> Bool {
        let now = SQLValue(call.receivedAt)
        let caller = SQLValue(call.csi.guid.text)
        let received = try transaction.first(
            receivedSQL, [caller, now, now, SQLValue(guid.text), SQLValue(patient ?? "")])
        let given = try transaction.first(givenSQL, [caller, now, now, SQLValue(guid.text)])
        let byPatient = try transaction.first(
            givenByPatientSQL, [SQLValue(call.csi.patient ?? ""), now, now, SQLValue(guid.text)])
        return received != nil || given != nil || byPatient != nil
    }

    // Each query selects by the caller. The other side is an expression, for which no index is used: then the time depends
    // on the caller's permissions only.

    /// Parameters: caller, time twice, grantor, Patient of the grantor.
    static let receivedSQL = """
        SELECT 1 AS one FROM access_permission
        WHERE grantee = ? AND ended_at IS NULL AND starts_at <= ? AND ends_at > ?
            AND (grantor || '' = ? OR (parent_id IS NULL AND participant || '' = ?))
        LIMIT 1
        """
    /// Parameters: caller, time twice, grantee.
    static let givenSQL = """
        SELECT 1 AS one FROM access_permission
        WHERE grantor = ? AND ended_at IS NULL AND starts_at <= ? AND ends_at > ? AND grantee || '' = ?
        LIMIT 1
        """
    /// Parameters: Patient of the caller, time twice, grantee.
    static let givenByPatientSQL = """
        SELECT 1 AS one FROM access_permission
        WHERE participant = ? AND ended_at IS NULL AND starts_at <= ? AND ends_at > ? AND parent_id IS NULL
            AND grantee || '' = ?
        LIMIT 1
        """
}
