import Core
import Foundation
import Logging
import Storage
import Submissions

extension ConsumerService {
    private typealias PreparedSubmission = SubmissionProcessor.PreparedSubmission

    /// Processes one device's submissions in order; those after a failed one wait.
    ///
    /// Reading uses several processors, recording only one and the disk, so later submissions are read while one is
    /// recorded. Consecutive small ones are recorded and settled together.
    ///
    /// - Returns: the number of processed submissions, and the error of the next one.
    func handle(deviceQueue submissions: [QueuedSubmission]) async -> (Int, (any Error)?) {
        let batches = RecordingBatches.split(submissions.map(\.body.count))
        return await withTaskGroup(of: (index: Int, PreparedSubmission?).self) { group in
            // The first submission need not be read ahead if it is recorded alone, because nothing is recorded
            // meanwhile.
            var begun = batches[0].count == 1 ? 1 : 0
            var ended = Set(0..<begun)
            var prepared: [Int: PreparedSubmission] = [:]
            for (number, batch) in batches.enumerated() {
                let last = batches[min(number + Self.batchesAhead, batches.count - 1)].upperBound
                while begun < last {
                    let (later, following) = (begun, submissions[begun])
                    group.addTask { (later, await processor.prepare(following)) }
                    begun += 1
                }
                while !ended.isSuperset(of: batch), let (ready, result) = await group.next() {
                    ended.insert(ready)
                    prepared[ready] = result
                }
                var index = batch.lowerBound
                while index < batch.upperBound {
                    let together = (index..<batch.upperBound).lazy.map { (submissions[$0], prepared[$0]) }
                        .prefix { $1?.isRecordedWithOthers ?? false }
                        .compactMap { submission, result in result.map { (submission, $0) } }
                    if together.count > 1 {
                        let count = await handle(together: Array(together))
                        index += count
                        guard count == 0 else { continue }
                    }
                    do { try await handle(submissions[index], prepared[index]) } catch { return (index, error) }
                    index += 1
                }
                processor.release(batch.compactMap { prepared.removeValue(forKey: $0) })
            }
            return (submissions.count, nil)
        }
    }

    /// Records and settles submissions together.
    ///
    /// - Returns: the number of settled ones. It is 0 if the batch fails: each submission is then tried by itself, to
    ///   find the one that fails.
    private func handle(together batch: [SubmissionProcessor.BatchItem]) async -> Int {
        do {
            let outcomes = try await processor.process(together: batch) { try await queue.isHeld($0) }
            try await settle(zip(batch, outcomes).map { Settlement($0.submission, as: $1) })
            return outcomes.count
        } catch {
            return 0
        }
    }

    private func handle(_ submission: QueuedSubmission, _ prepared: PreparedSubmission?) async throws {
        do {
            let outcome = try await processor.process(submission, prepared: prepared) {
                try await queue.isHeld(submission)
            }
            guard let outcome else { return logLostLease(submission) }
            try await settle([Settlement(submission, as: outcome)])
        } catch let error as ConsumerError {
            // The keys are missing; however long that lasts, the submission is not the cause.
            logger.error("waiting", metadata: ["code": "\(error.code)"])
            try await queue.postpone(submission, isFailure: false)
            throw error
        } catch {
            let code = Self.code(of: error)
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
                detail: "Processing failed repeatedly: \(code)."
            )
            _ = try await queue.settle(submission, as: outcome, at: clock())
        }
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
