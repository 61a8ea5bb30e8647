import Core
import Foundation
import Logging
import Storage
import StudyKeys
import Submissions

extension ConsumerService {
    /// Processes one device's submissions in order; those after a failed one wait.
    ///
    /// Preparing uses several processors, recording only one and the disk, so later batches are prepared while one is
    /// recorded.
    ///
    /// - Returns: the number of processed submissions, and the error of the next one.
    func handle(deviceQueue submissions: [QueuedSubmission]) async -> (Int, (any Error)?) {
        let batches = RecordingBatches.split(submissions.map(\.body.count)).map { submissions[$0] }
        return await withTaskGroup(of: (number: Int, [PreparedSubmission?]).self) { group in
            var begun = 0
            var ready: [Int: [PreparedSubmission?]] = [:]
            for (number, batch) in batches.enumerated() {
                while begun < min(number + 1 + Self.batchesAhead, batches.count) {
                    let (later, following) = (begun, batches[begun])
                    group.addTask { (later, await prepare(following)) }
                    begun += 1
                }
                while ready[number] == nil, let (later, prepared) = await group.next() { ready[later] = prepared }
                var prepared = ready.removeValue(forKey: number) ?? []
                let (count, error) = await record(batch, &prepared)
                processor.release(prepared.compactMap { $0 })
                if let error { return (batch.startIndex + count, error) }
            }
            return (submissions.count, nil)
        }
    }

    /// Prepares the submissions of a batch concurrently; nil for those that fail temporarily.
    private func prepare(_ batch: ArraySlice<QueuedSubmission>) async -> [PreparedSubmission?] {
        await withTaskGroup(of: (index: Int, PreparedSubmission?).self) { group in
            for (index, submission) in batch.enumerated() {
                group.addTask { (index, try? await processor.prepare(submission)) }
            }
            var prepared = [PreparedSubmission?](repeating: nil, count: batch.count)
            for await (index, result) in group { prepared[index] = result }
            return prepared
        }
    }

    /// Records and settles a batch: its submissions together, as far as their preparations are valid.
    ///
    /// After an error the submissions are recorded one by one, to find the one that fails.
    ///
    /// - Returns: the number of processed submissions, and the error of the next one.
    private func record(
        _ batch: ArraySlice<QueuedSubmission>, _ prepared: inout [PreparedSubmission?]
    ) async -> (Int, (any Error)?) {
        var index = 0
        var isDivided = false
        while index < batch.count {
            let submission = batch[batch.startIndex + index]
            var together: [PreparedSubmission] = []
            do {
                if prepared[index] == nil { prepared[index] = try await processor.prepare(submission) }
                let candidates = Self.recordedTogether(prepared[index...])
                together = try await held(isDivided ? candidates.prefix(1) : candidates[...])
                guard !together.isEmpty else {
                    logLostLease(submission)
                    index += 1
                    continue
                }
                let outcomes = try await processor.record(together)
                try await settle(zip(together, outcomes).map { Settlement($0.submission, as: $1) })
                index += outcomes.count
                // The sender's state has changed.
                if outcomes.count < together.count {
                    prepared.replaceSubrange(index..., with: await prepare(batch.dropFirst(index)))
                }
            } catch {
                isDivided = true
                guard together.count <= 1 else { continue }
                do { try await postpone(submission, after: error) } catch { return (index, error) }
                index += 1
            }
        }
        return (index, nil)
    }

    /// Returns the first submissions that can share a transaction.
    private static func recordedTogether(_ prepared: ArraySlice<PreparedSubmission?>) -> [PreparedSubmission] {
        let submissions = prepared.prefix { $0 != nil }.compactMap { $0 }
        guard let first = submissions.first, !first.isRecordedAlone else { return Array(submissions.prefix(1)) }
        return Array(submissions.prefix { !$0.isRecordedAlone })
    }

    /// Returns the first submissions whose leases this consumer still holds.
    private func held(_ prepared: ArraySlice<PreparedSubmission>) async throws -> [PreparedSubmission] {
        for (index, submission) in zip(prepared.indices, prepared)
        where try await !queue.isHeld(submission.submission) {
            return Array(prepared[..<index])
        }
        return Array(prepared)
    }

    /// Handles the error of one submission.
    ///
    /// - Throws: the error if the submission waits. It was quarantined otherwise.
    private func postpone(_ submission: QueuedSubmission, after error: any Error) async throws {
        if let error = error as? StudyKeyError {
            // The keys are missing; however long that lasts, the submission is not the cause.
            logger.error("waiting", metadata: ["code": "\(error.code)"])
            try await queue.postpone(submission, isFailure: false)
            throw error
        }
        logger.error(
            "submission failed",
            metadata: Self.metadata(of: error).merging(["submission": "\(submission.submissionID)"]) { $1 })
        // A full disk, or a busy or damaged store, is not caused by the submission either.
        if (error as? StorageError)?.concernsStore ?? (error is CancellationError) {
            try await queue.postpone(submission, isFailure: false)
            throw error
        }
        guard submission.attempts + 1 >= Self.maximumAttempts else {
            try await queue.postpone(submission, isFailure: true)
            throw error
        }
        let outcome = SubmissionOutcome(
            status: .quarantined, reasonCode: "processing-failed",
            detail: "Processing failed repeatedly: \(Self.code(of: error)).")
        _ = try await queue.settle(submission, as: outcome, at: clock())
    }

    private func settle(_ settlements: [Settlement]) async throws {
        for (settlement, isSettled) in zip(settlements, try await queue.settle(settlements, at: clock())) {
            let (submission, outcome) = (settlement.submission, settlement.outcome)
            guard isSettled else {
                logLostLease(submission)
                continue
            }
            // Staff must decide about quarantined submissions, so log them as warnings.
            logger.log(
                level: outcome.status == .quarantined ? .warning : .info, "submission",
                metadata: [
                    "submission": "\(submission.submissionID)", "client": "\(submission.clientID)",
                    "status": "\(outcome.status.rawValue)", "code": "\(outcome.reasonCode ?? "-")",
                ])
        }
    }

    private func logLostLease(_ submission: QueuedSubmission) {
        logger.warning("lease lost", metadata: ["submission": "\(submission.submissionID)"])
    }
}
