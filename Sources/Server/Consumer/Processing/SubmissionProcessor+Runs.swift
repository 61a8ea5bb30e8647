import Storage

extension SubmissionProcessor.ReadAhead {
    /// Whether it may be recorded with others. A link is also recorded in a separate store, so it needs a transaction
    /// of its own.
    var isRecordedWithOthers: Bool {
        if case .link = reading.result { false } else { true }
    }
}

extension SubmissionProcessor {
    /// A submission and its result of reading ahead.
    typealias Read = (submission: QueuedSubmission, ahead: ReadAhead)

    /// Processes submissions of one device in order and in one transaction, while their results of reading ahead are
    /// valid. If a submission changes its sender's state, the batch ends, and the later ones must be read again.
    ///
    /// - Parameters:
    ///   - run: submissions without links (``ReadAhead/isRecordedWithOthers``).
    ///   - stillHeld: whether the caller still holds a submission's lease; called before anything is recorded.
    /// - Returns: outcomes of the first submissions, to be settled in the queue; empty if the first one must be
    ///   processed by itself (``process(_:readAhead:stillHeld:)``).
    /// - Throws: if one of them cannot be processed now; then none is recorded.
    func process(
        together run: [Read], stillHeld: @Sendable (QueuedSubmission) async throws -> Bool
    ) async throws -> [SubmissionOutcome] {
        let published = await study.published()
        for read in run {
            guard try await stillHeld(read.submission) else { return [] }
            if case .ready(let incoming, _) = read.ahead.reading.result { try await ensureConcepts(of: incoming) }
        }
        return try await recording.write { transaction in
            var outcomes: [SubmissionOutcome] = []
            for (submission, ahead) in run {
                let first = try beginning(of: submission, published, in: transaction)
                // Already recorded, if an earlier process ended before it settled the queue.
                if let outcome = first.outcome {
                    outcomes.append(outcome)
                    continue
                }
                guard ahead.standing == first.standing else { break }
                outcomes.append(try decide(ahead.reading, submission, .none, published, in: transaction))
            }
            return outcomes
        }
    }
}
