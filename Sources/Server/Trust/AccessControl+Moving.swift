import Foundation
import Storage

extension AccessControl {
    /// Makes the secret of a one-time code by which a participant's next device is bound, the only time it is seen.
    /// Earlier ones of the participant end.
    ///
    /// - Parameter lifetime: seconds.
    /// - Returns: 26 characters of lower-case base32 (RFC 4648 section 6): 128 bits.
    /// - Throws: ``TrustError`` with the policy's reason.
    public func issueMoveCode(participant: String, by actor: Actor, lifetime: TimeInterval) async throws -> String {
        let now = clock()
        let secret = Self.base32(random(17)).prefix(26)
        let digest = SecretDigest(of: String(secret)).hex
        try await database.write { transaction in
            let target = Target(resourceType: "Contract", subject: participant)
            let decision = try decide(actor, .manageEnrolments, target, in: transaction)
            guard decision.allowed else {
                throw TrustError(code: decision.reason, message: "This account may not manage enrolments.")
            }
            try transaction.execute(
                "DELETE FROM move_code WHERE participant = ? AND used_at IS NULL", [SQLValue(participant)])
            try transaction.execute(
                "INSERT INTO move_code (secret_digest, participant, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [
                    SQLValue(digest), SQLValue(participant), SQLValue(now),
                    SQLValue(now.addingTimeInterval(lifetime)),
                ])
        }
        return String(secret)
    }

    /// Spends a code. A device that sends its Contract again is bound by then and needs none: who comes with a spent code
    /// and without a binding has lost it since.
    func useMoveCode(
        _ secret: String, participant: String, device: String, in transaction: any SQLTransaction
    ) throws -> Bool {
        let digest = SQLValue(SecretDigest(of: secret).hex)
        let row = try transaction.first(
            "SELECT participant, expires_at, used_at FROM move_code WHERE secret_digest = ?", [digest])
        guard let row, try row.text("participant") == participant, row["used_at"] == .null else { return false }
        guard try row.date("expires_at") > clock() else { return false }
        try transaction.execute(
            "UPDATE move_code SET used_at = ?, used_by = ? WHERE secret_digest = ?",
            [SQLValue(clock()), SQLValue(device), digest])
        return true
    }

    static func base32(_ bytes: [UInt8]) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= (1 << UInt32(bits)) - 1
        }
        return String(decoding: text, as: UTF8.self)
    }
}
