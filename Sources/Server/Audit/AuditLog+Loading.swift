import AccessPolicy
import Storage

extension AuditLog {
    /// Decides whether a participant's data may be stored directly, and writes the audit row in the transaction that
    /// stores the resources. A load has one row for each transaction that stores something, because a row never changes.
    ///
    /// - Parameter amount: number of resources that the transaction stores.
    /// - Throws: ``AccessError`` with the reason if it may not.
    package func recordLoad(
        _ actor: Actor, _ target: Target, amount: Int, in transaction: any SQLTransaction
    ) throws {
        let decision = policy.decide(actor, action: .loadHealth, target: target)
        try record(decision, by: actor, action: .loadHealth, target: target, amount: amount, in: transaction)
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "The audit's policy forbids the load.")
        }
    }
}
