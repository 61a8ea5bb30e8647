import Foundation
import Identity
import Storage

// Common to move codes and invitations: a secret that is returned once, stored as a digest and spent once.
extension EnrolmentStore {
    /// Creates a secret: 130 random bits as 26 characters of lowercase base32 (RFC 4648 section 6).
    func makeSecret() -> String { String(Base32.text(random(17)).prefix(26)) }

    /// Spends a code that a device presents.
    ///
    /// - Parameters:
    ///   - table: table of the codes.
    ///   - participant: participant that the code must belong to; nil for codes without one.
    /// - Returns: whether the code was valid.
    func spend(
        _ secret: String, in table: StaticString, of participant: String? = nil, device: String,
        transaction: any SQLTransaction
    ) throws -> Bool {
        let digest = SQLValue(SecretDigest(of: secret).hex)
        guard let row = try transaction.first("SELECT * FROM \(table) WHERE secret_digest = ?", [digest]),
            row["used_at"] == .null, try row.date("expires_at") > clock()
        else { return false }
        if let participant, try row.text("participant") != participant { return false }
        try transaction.execute(
            "UPDATE \(table) SET used_at = ?, used_by = ? WHERE secret_digest = ?",
            [SQLValue(clock()), SQLValue(device), digest])
        return true
    }
}
