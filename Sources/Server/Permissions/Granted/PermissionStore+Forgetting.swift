import Foundation
import Storage
import Wire

extension PermissionStore {
    /// Deletes the permissions for a participant's records with their requests, and the wallet codes. It ends the wallets
    /// and removes their claims. The Consents are deleted with the participant's records.
    ///
    /// A request that also concerns another participant stays with their permissions.
    ///
    /// - Returns: the deleted rows by table.
    @discardableResult
    package func forget(
        _ participant: String, at: Date, in transaction: any SQLTransaction
    ) throws -> [String: RowsDigest] {
        let theirs = [SQLValue(participant)]
        // 1. The wallets: permissions of other people for them end, and no token of theirs works any more.
        let wallets = try transaction.query(Self.walletsSQL, theirs)
        for row in wallets {
            let guid = try row.text("guid")
            if let csi = CsiGuid(guid) { try endPermissions(ofEnded: csi, at: at, in: transaction) }
            // An app on the same device may have the claims of the same person.
            try transaction.execute("UPDATE csi SET claims = NULL WHERE device_id = ?", [row["device_id"]])
            try transaction.execute(Self.forgetWalletSQL, [SQLValue(at), SQLValue(guid)])
            try transaction.execute(Self.revokeClientSQL, [SQLValue(at), SQLValue(guid)])
        }
        // 2. The permissions, and the tokens that carry them.
        let given = "SELECT id FROM access_permission WHERE participant = ?"
        try transaction.execute(
            """
            UPDATE access_authorization SET permission_changes = permission_changes + 1
            WHERE id IN (SELECT authorization_id FROM token_permission WHERE permission_id IN (\(given)))
            """, theirs)
        var removed: [String: RowsDigest] = [:]
        removed["token_permission"] = try transaction.delete(
            from: "token_permission",
            where: """
                permission_id IN (\(given))
                OR authorization_id IN (SELECT id FROM access_authorization WHERE participant = ?)
                """, theirs + theirs,
            orderedBy: "authorization_id, permission_id")
        var requests: Set<String> = []
        removed["access_permission"] = try transaction.delete(
            from: "access_permission", where: "participant = ?", theirs, orderedBy: "number"
        ) { row in
            requests.insert(try row.text("request_id"))
            if let ending = row.textIfPresent("ending_request_id") { requests.insert(ending) }
        }
        // 3. The requests, except for those of other participants.
        var parts: [RowsDigest] = []
        for request in requests.sorted() {
            parts.append(
                try transaction.delete(
                    from: "permission_request", where: Self.unusedRequest, [SQLValue(request)], orderedBy: "number"))
        }
        removed["permission_request"] = RowsDigest(joining: parts)
        // 4. The wallet codes.
        removed["wallet_code"] = try transaction.delete(
            from: "wallet_code", where: "participant = ?", theirs, orderedBy: "secret_digest")
        return removed
    }

    /// Parameter: participant.
    static let walletsSQL = "SELECT guid, device_id FROM csi WHERE participant = ? ORDER BY guid"
    /// Parameters: time, csi.
    static let forgetWalletSQL = """
        UPDATE csi SET claims = NULL, participant = NULL, device_id = '', ended_at = COALESCE(ended_at, ?) WHERE guid = ?
        """
    /// Parameters: time, csi.
    static let revokeClientSQL = """
        UPDATE registered_client SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?
        """
    /// Condition on a request that no permission names. Parameter: id.
    static let unusedRequest = """
        id = ? AND NOT EXISTS (SELECT 1 FROM access_permission p WHERE p.request_id = permission_request.id)
            AND NOT EXISTS (SELECT 1 FROM access_permission e WHERE e.ending_request_id = permission_request.id)
        """
}
