import Storage
import Submissions

extension SubmissionProcessor.PreparedSubmission {
    /// Whether it may be recorded with others. A link is also recorded in a separate store, so it needs a transaction
    /// of its own.
    var isRecordedWithOthers: Bool {
        if case .link = content.result { false } else { true }
    }
}

extension SubmissionProcessor {
    /// A submission and its preparation.
    typealias BatchItem = (submission: QueuedSubmission, prepared: PreparedSubmission)

    /// Processes submissions of one device in order and in one transaction, while their preparations are valid.
    /// If a submission changes its sender's state, the batch ends, and the later ones must be read again.
    ///
    /// - Parameters:
    ///   - batch: submissions without links (``PreparedSubmission/isRecordedWithOthers``).
    ///   - stillHeld: whether the caller still holds a submission's lease; called before anything is recorded.
    /// - Returns: outcomes of the first submissions, to be settled in the queue; empty if the first one must be
    ///   processed by itself (``process(_:prepared:stillHeld:)``).
    /// - Throws: if one of them cannot be processed now; then none is recorded.
    func process(
        together batch: [BatchItem], stillHeld: @Sendable (QueuedSubmission) async throws -> Bool
    ) async throws -> [SubmissionOutcome] {
        let published = await study.published()
        for item in batch {
            guard try await stillHeld(item.submission) else { return [] }
            if case .ready(let incoming, _) = item.prepared.content.result { try await ensureConcepts(of: incoming) }
        }
        return try await recording.write { transaction in
            var outcomes: [SubmissionOutcome] = []
            for (submission, prepared) in batch {
                let first = try beginning(of: submission, published, in: transaction)
                // Already recorded, if an earlier process ended before it settled the queue.
                if let outcome = first.outcome {
                    outcomes.append(outcome)
                    continue
                }
                guard prepared.sender == first.sender else { break }
                outcomes.append(
                    try decide(
                        prepared.content, of: submission, links: .none, published: published, in: transaction))
            }
            return outcomes
        }
    }
}
