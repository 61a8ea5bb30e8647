import AccessPolicy
import Admission
import Foundation
import Storage

extension StaffDecision {
    /// Returns one quarantined or held submission, or all quarantined ones, to the queue for processing.
    ///
    /// - Parameter submissionID: id of the submission; nil for all quarantined ones.
    /// - Returns: the number of submissions, which the audit row contains too.
    /// - Throws: ``ConsumerError`` `submission-not-waiting`; ``AccessPolicy/AccessError``, ``Storage/StorageError``.
    package func retry(_ submissionID: String?) async throws -> Int {
        try await decide(.retrySubmissions, submissionID: submissionID) {
            guard let submissionID else { return try await queue.retryAllQuarantined() }
            let count = try await waiting(submissionID)
            return try await queue.retry(submissionID: submissionID) ? max(count, 1) : 0
        }
    }

    /// Refuses a quarantined or held submission for good; its sealed body is deleted.
    ///
    /// - Returns: the number of submissions, which the audit row contains too: several devices may use one id.
    /// - Throws: ``ConsumerError`` `submission-not-waiting`; ``AccessPolicy/AccessError``, ``Storage/StorageError``.
    package func discard(_ submissionID: String) async throws -> Int {
        try await decide(.discardSubmissions, submissionID: submissionID) {
            let count = try await waiting(submissionID)
            return try await queue.discard(submissionID: submissionID, at: clock()) ? max(count, 1) : 0
        }
    }

    private func waiting(_ submissionID: String) async throws -> Int {
        try await queue.show(submissionID: submissionID).count { [.quarantined, .held].contains($0.status) }
    }

    /// Performs the action if the policy permits it, and writes the audit row.
    private func decide(
        _ action: Action, submissionID: String?, body: () async throws -> Int
    ) async throws -> Int {
        let target = Target(resourceType: "submission", resourceID: submissionID)
        let decision = access.audit.decision(actor, action: action, target: target)
        var count = 0
        if decision.allowed {
            count = try await body()
            guard count > 0 || submissionID == nil else {
                throw ConsumerError(
                    code: "submission-not-waiting",
                    message: "There is no quarantined or held submission with this id.")
            }
        }
        let (access, actor, amount) = (access, actor, count)
        _ = try await records.write { transaction in
            try access.audit.record(
                decision, by: actor, action: action, target: target, amount: amount, in: transaction)
        }
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "This account may not decide about submissions.")
        }
        return count
    }
}
