import Foundation
import Storage
import Wire

/// The used nonces of csis. All calls share them.
enum CsiNonces {
    /// Maximum number of expired nonces that a call removes.
    static let removedPerCall = 20

    /// Parameters: csi, nonce, end.
    static let insertSQL = """
        INSERT INTO csi_nonce (csi, nonce, expires_at) VALUES (?, ?, ?) ON CONFLICT (csi, nonce) DO NOTHING
        """
    /// Parameters: time, number of rows.
    static let removeSQL = """
        DELETE FROM csi_nonce WHERE (csi, nonce) IN
            (SELECT csi, nonce FROM csi_nonce WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
        """

    /// Records the nonce of a request, and removes some that have expired.
    ///
    /// - Throws: `PermissionError` `nonce_reused`.
    static func use(_ request: SignedCsiRequest, now: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(removeSQL, [SQLValue(now), SQLValue(removedPerCall)])
        let end = now.addingTimeInterval(SignedCsiRequest.nonceLifetime)
        let inserted = try transaction.execute(
            insertSQL, [SQLValue(request.csi.text), SQLValue(request.nonce), SQLValue(end)])
        guard inserted > 0 else { throw PermissionError(.nonceReused, "The nonce was used before; make a new one.") }
    }
}
