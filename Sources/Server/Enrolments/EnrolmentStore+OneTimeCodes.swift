import Foundation
import Identity
import Storage

// Common to move codes and invitations.
extension EnrolmentStore {
    /// Creates a secret.
    func makeSecret() -> String { OneTimeCode.make(random) }

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
        let now = clock()
        guard let row = try OneTimeCode.row(of: secret, in: table, now: now, transaction: transaction) else {
            return false
        }
        if let participant, try row.text("participant") != participant { return false }
        try OneTimeCode.use(secret, in: table, by: device, now: now, transaction: transaction)
        return true
    }
}
