import AccessPolicy
import FHIRHTTP

/// The reason that a write request is refused as a whole. It is recorded in the audit.
struct WriteRefusal: Error {
    let failure: RecordsFailure
    let decision: Decision
    let target: Target
    /// Its index in a Bundle; nil for a single request.
    var index: Int?

    init(_ failure: RecordsFailure, _ target: Target) {
        self.failure = failure.about(target.resourceType)
        self.target = target
        decision = Decision(allowed: false, reason: failure.code)
    }

    init(_ decision: RecordDecision, _ target: Target) {
        self.target = target
        self.decision = decision.decision
        failure = RecordsFailure(decision).about(target.resourceType)
    }
}

extension WriteRefusal {
    /// Runs the closure for one of several requests; a refusal gets its index.
    static func withIndex<Result>(_ index: Int, of count: Int, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch var refusal as WriteRefusal {
            if count > 1 { refusal.index = index }
            throw refusal
        }
    }
}

/// The lookup before the transaction is outdated and must be repeated.
struct OutdatedPlan: Error {}
