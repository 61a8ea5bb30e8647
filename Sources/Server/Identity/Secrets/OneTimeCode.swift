import Foundation
import Storage

/// A secret that is returned once, stored as a digest and used once.
///
/// Its table has the columns `secret_digest`, `expires_at`, `used_at` and `used_by`.
package enum OneTimeCode {
    /// Creates a secret: 130 random bits as 26 characters of lowercase base32 (RFC 4648 section 6).
    package static func make(_ random: (Int) -> [UInt8]) -> String { String(Base32.text(random(17)).prefix(26)) }

    /// Returns the row of a code; nil if the code is unknown, has expired or was used.
    package static func row(
        of secret: String, in table: StaticString, now: Date, transaction: any SQLTransaction
    ) throws -> SQLRow? {
        let digest = SQLValue(SecretDigest(of: secret).hex)
        guard let row = try transaction.first("SELECT * FROM \(table) WHERE secret_digest = ?", [digest]),
            row["used_at"] == .null, try row.date("expires_at") > now
        else { return nil }
        return row
    }

    /// Records the use of a code.
    ///
    /// - Parameter user: the id of the user.
    package static func use(
        _ secret: String, in table: StaticString, by user: String, now: Date, transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            "UPDATE \(table) SET used_at = ?, used_by = ? WHERE secret_digest = ?",
            [SQLValue(now), SQLValue(user), SQLValue(SecretDigest(of: secret).hex)])
    }
}
