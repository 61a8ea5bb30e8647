import AccessPolicy
import Foundation
import Storage

extension PeopleStore {
    /// Reports a change of an account's care plan to the lists of its readers, and counts its bytes.
    ///
    /// - Parameter bytes: the bytes that the change adds.
    /// - Throws: the error `account-full` if the account has too many bytes.
    package static func recordPlan(
        of account: String, adding bytes: Int, in transaction: any SQLTransaction
    ) throws {
        try addBytes(bytes, to: account, in: transaction)
        try MembershipStore.record(.plan, of: account, in: transaction)
    }

    /// Whether there is an account, and its deletion was not requested.
    package static func hasPerson(_ account: String, in transaction: any SQLTransaction) throws -> Bool {
        try Person.find(account, in: transaction) != nil
    }

    /// Decides whether a caller may read or change the care plan of an account. The decision is not on record.
    ///
    /// - Returns: also whether there is such an account.
    package func decidePlan(
        change isChange: Bool, of patient: String, by caller: AccountRoutes.Caller, at now: Date,
        in transaction: any SQLTransaction
    ) throws -> (decision: Decision, exists: Bool) {
        let exists = try Self.hasPerson(patient, in: transaction)
        let decision = audit.policy.decidePlan(
            change: isChange, of: patient, by: try reader(caller.account.actor, caller.person, in: transaction),
            groups: groups,
            memberships: exists ? try MembershipStore.memberships(of: patient, in: transaction) : [], at: now)
        return (decision, exists)
    }
}
