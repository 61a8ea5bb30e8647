import Storage

extension SubmissionProcessor.ReadAhead {
    /// Whether it may be recorded with others: a link is noted in a store of its own as well, which no other transaction may
    /// end with.
    var isRecordedWithOthers: Bool {
        if case .link = reading.result { false } else { true }
    }
}

extension SubmissionProcessor {
    /// A submission and what was read of it before its turn.
    typealias Read = (submission: QueuedSubmission, ahead: ReadAhead)

    /// Handles submissions of one device, in their order and in one transaction, as far as what was read of them holds: what
    /// one of them changes for its sender ends the run, and those behind it are to be read again.
    ///
    /// - Parameters:
    ///   - run: none of them a link (``ReadAhead/isRecordedWithOthers``).
    ///   - stillHeld: whether a submission is still leased by the caller; asked before anything is recorded.
    /// - Returns: what became of the first of them, to be settled in the queue; of none where the first one has to be
    ///   handled by itself (``process(_:readAhead:stillHeld:)``).
    /// - Throws: where one of them cannot be handled now: nothing of any is recorded.
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
                // Recorded already, and the process ended before the queue was told?
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
