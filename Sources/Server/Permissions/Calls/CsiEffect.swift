import AccessPolicy
import Core
import Storage

/// The result of a signed call that the server accepted.
package struct CsiEffect: Sendable {
    /// The body of the answer.
    package let answer: JSON
    /// The target of the action in the audit.
    package let target: Target
    /// Number of resources, if the target is the first of several.
    package let amount: Int?

    /// Creates the result of a call.
    package init(answer: JSON, target: Target, amount: Int? = nil) {
        self.answer = answer
        self.target = target
        self.amount = amount
    }
}

/// The effects of the calls about permissions.
package protocol PermissionEffects: PermissionEnding {
    /// Performs `writePermission`, `deletePermission` or a call that lists permissions, in the transaction of its nonce
    /// and of its audit row.
    ///
    /// - Throws: `PermissionError` for a refusal: then the effect is undone, and the nonce and the audit row remain.
    ///   After any other error nothing remains.
    func effect(of call: VerifiedCsiCall, in transaction: any SQLTransaction) throws -> CsiEffect
}
