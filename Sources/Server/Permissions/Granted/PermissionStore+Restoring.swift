import Foundation
import Storage
import Wire

extension PermissionStore {
    /// Ends all permissions of a restored backup, and makes all requests invalid that were signed before. No token
    /// carries a permission any more.
    ///
    /// The backup lacks the nonces of requests that came after it. Without this rule, a request that gave a permission
    /// could be sent again within the tolerance of its time, although the person ended the permission meanwhile.
    ///
    /// - Returns: the number of ended permissions.
    package func recordRestoration(
        by account: String, at: Date, in transaction: any SQLTransaction
    ) throws -> Int {
        guard try transaction.first("SELECT 1 AS one FROM csi LIMIT 1") != nil else { return 0 }
        try transaction.execute("DELETE FROM csi_nonce WHERE csi = ?", [SQLValue(Self.restoration)])
        try transaction.execute(
            "INSERT INTO csi_nonce (csi, nonce, expires_at) VALUES (?, ?, ?)",
            [
                SQLValue(Self.restoration), SQLValue(Self.restoration),
                SQLValue(at.addingTimeInterval(SignedCsiRequest.nonceLifetime)),
            ])
        return try endAll(by: account, at: at, in: transaction)
    }

    /// Checks that a request was signed after the last restoration of a backup.
    ///
    /// - Throws: ``Wire/PermissionError`` `stale_request`.
    package static func checkRestoration(
        _ request: SignedCsiRequest, in transaction: any SQLTransaction
    ) throws {
        let found = try transaction.first(restorationSQL, [SQLValue(restoration), SQLValue(restoration)])
        guard let until = found?.dateIfPresent("expires_at") else { return }
        let restoredAt = until.addingTimeInterval(-SignedCsiRequest.nonceLifetime)
        guard request.time.date > restoredAt else {
            throw PermissionError(.staleRequest, "The request is older than the restoration of a backup.")
        }
    }

    /// The csi in the row of the restoration; no guid has this length.
    static let restoration = "restoration"
    /// Parameters: csi, nonce.
    static let restorationSQL = "SELECT expires_at FROM csi_nonce WHERE csi = ? AND nonce = ?"
}
