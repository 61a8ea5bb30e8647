import AccessPolicy
import Accounts
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Storage

extension CareRoutes {
    /// A caller who may read a plan.
    struct Access: Sendable {
        let caller: AccountRoutes.Caller
        /// The token of the request, to examine the access again.
        let token: String
        /// The account whose plan it is.
        let patient: String
        /// Whether the caller may also change it.
        let isWriter: Bool

        var isOwn: Bool { caller.id == patient }
    }

    /// Returns the caller of a request for a plan.
    ///
    /// - Throws: 401 without a session; 403 for a caller without a grant, or without one that changes plans; 404 for a
    ///   patient that the caller does not see. The refusal is on record.
    func access(change isChange: Bool, _ request: Request, _ context: ServerRequestContext) async throws -> Access {
        let caller = try await accounts.caller(request, context)
        let patient = context.parameters.get("id") ?? ""
        let now = accounts.clock()
        let (reading, writing, exists) = try await log.store.database.lookUp { transaction in
            let reading = try log.store.decidePlan(change: false, of: patient, by: caller, at: now, in: transaction)
            let writing = try log.store.decidePlan(change: true, of: patient, by: caller, at: now, in: transaction)
            return (reading.decision, writing.decision, reading.exists)
        }
        let decision = isChange ? writing : reading
        guard decision.allowed, exists, let token = request.bearerToken else {
            try await log.store.audit.recorded { transaction in
                // The id of the path is on record only if it names an account.
                _ = try log.store.audit.record(
                    decision, by: caller.account.actor, action: isChange ? .changePlan : .readPlan,
                    target: Target(resourceType: AccountData.plan.rawValue, subject: exists ? patient : nil),
                    in: transaction)
            }
            throw Self.refusal(decision)
        }
        return Access(caller: caller, token: token, patient: patient, isWriter: writing.allowed)
    }

    /// Decides again inside a transaction, after a wait or with a change. A change by another is on record.
    ///
    /// - Throws: 401, 403 or 404, as ``access(change:_:_:)``.
    func require(_ access: Access, change isChange: Bool, in transaction: any SQLTransaction) throws {
        let caller = try accounts.requireCaller(token: access.token, in: transaction)
        let (decision, exists) = try log.store.decidePlan(
            change: isChange, of: access.patient, by: caller, at: accounts.clock(), in: transaction)
        guard decision.allowed, exists else { throw Self.refusal(decision) }
        guard isChange, !access.isOwn else { return }
        try log.store.audit.record(
            decision, by: caller.account.actor, action: .changePlan,
            target: Target(resourceType: AccountData.plan.rawValue, subject: access.patient), in: transaction)
    }

    /// Records that another account read the plan.
    func recordReading(_ access: Access) async throws {
        guard !access.isOwn else { return }
        try await log.store.audit.recorded { transaction in
            _ = try log.store.audit.record(
                .permitted, by: access.caller.account.actor, action: .readPlan,
                target: Target(resourceType: AccountData.plan.rawValue, subject: access.patient), in: transaction)
        }
    }

    private static func refusal(_ decision: Decision) -> HTTPFailure {
        decision.allowed || decision.reason == "not-visible" ? .notFound : .noGrant(decision)
    }
}
