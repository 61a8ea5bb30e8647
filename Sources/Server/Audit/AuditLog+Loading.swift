import AccessPolicy
import Storage

extension AuditLog {
    /// Audit row of a load. Its amount is updated as the load continues.
    package struct LoadEntry: Sendable, Hashable {
        let number: Int64
    }

    /// Decides whether a participant's data may be stored directly, and writes the audit row in the transaction that
    /// stores the first resources.
    ///
    /// - Throws: ``AccessError`` with the reason if it may not.
    package func beginLoad(
        _ actor: Actor, _ target: Target, amount: Int, in transaction: any SQLTransaction
    ) throws -> LoadEntry {
        try require(
            actor, .loadHealth, target: target, message: "The audit's policy forbids the load.", in: transaction)
        let last = try transaction.first("SELECT max(number) AS number FROM audit")
        let entry = LoadEntry(number: last?.integerIfPresent("number") ?? 0)
        try recordAmount(amount, of: entry, in: transaction)
        return entry
    }

    /// Updates the number of stored resources in the audit row, in the transaction that stores them.
    package func recordAmount(_ amount: Int, of entry: LoadEntry, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE audit SET amount = ? WHERE number = ?", [.integer(Int64(amount)), .integer(entry.number)])
    }
}
