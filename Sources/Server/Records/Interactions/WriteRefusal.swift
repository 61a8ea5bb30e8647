import Trust

/// Why a request that writes is not done; then nothing of it is. The audit has it.
struct WriteRefusal: Error {
    let failure: RecordsFailure
    let decision: Decision
    let target: Target
    /// Its place in a Bundle; nil where it came alone.
    var place: Int?

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
    /// Does something for one of several requests; a refusal names its index.
    static func placed<Result>(_ place: Int, of count: Int, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch var refusal as WriteRefusal {
            if count > 1 { refusal.place = place }
            throw refusal
        }
    }
}

/// What was read before the transaction is not what it finds: all is to be read anew.
struct OutdatedPlan: Error {}
