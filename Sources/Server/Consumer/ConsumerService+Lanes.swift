import Core
import Foundation
import Logging
import Storage

extension ConsumerService {
    private typealias ReadAhead = SubmissionProcessor.ReadAhead

    /// Processes one device's submissions in order; those after a failed one wait.
    ///
    /// Reading uses several processors, recording only one and the disk, so later submissions are read while one is
    /// recorded. Consecutive small ones are recorded and settled together.
    ///
    /// - Returns: the number of processed submissions, and the error of the next one.
    func handle(lane: [QueuedSubmission]) async -> (Int, (any Error)?) {
        let runs = LaneRuns.split(lane.map(\.body.count))
        return await withTaskGroup(of: (place: Int, ReadAhead?).self) { group in
            // The first submission need not be read ahead if it is recorded alone, because nothing is recorded
            // meanwhile.
            var begun = runs[0].count == 1 ? 1 : 0
            var ended = Set(0..<begun)
            var read: [Int: ReadAhead] = [:]
            for (number, run) in runs.enumerated() {
                let last = runs[min(number + Self.readAhead, runs.count - 1)].upperBound
                while begun < last {
                    let (later, following) = (begun, lane[begun])
                    group.addTask { (later, await processor.readAhead(following)) }
                    begun += 1
                }
                while !ended.isSuperset(of: run), let (ready, reading) = await group.next() {
                    ended.insert(ready)
                    read[ready] = reading
                }
                var place = run.lowerBound
                while place < run.upperBound {
                    let together = (place..<run.upperBound).lazy.map { (lane[$0], read[$0]) }
                        .prefix { $1?.isRecordedWithOthers ?? false }
                        .compactMap { submission, ahead in ahead.map { (submission, $0) } }
                    if together.count > 1 {
                        let count = await handle(together: Array(together))
                        place += count
                        guard count == 0 else { continue }
                    }
                    do { try await handle(lane[place], read[place]) } catch { return (place, error) }
                    place += 1
                }
                processor.release(run.compactMap { read.removeValue(forKey: $0) })
            }
            return (lane.count, nil)
        }
    }

    /// Records and settles submissions together.
    ///
    /// - Returns: the number of settled ones. It is 0 if the batch fails: each submission is then tried by itself, to
    ///   find the one that fails.
    private func handle(together run: [SubmissionProcessor.Read]) async -> Int {
        do {
            let outcomes = try await processor.process(together: run) { try await queue.isHeld($0) }
            try await settle(zip(run, outcomes).map { Settlement($0.submission, as: $1) })
            return outcomes.count
        } catch {
            return 0
        }
    }

    private func handle(_ submission: QueuedSubmission, _ ahead: ReadAhead?) async throws {
        do {
            let outcome = try await processor.process(submission, readAhead: ahead) {
                try await queue.isHeld(submission)
            }
            guard let outcome else { return tellLost(submission) }
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
                tellLost(submission)
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

    private func tellLost(_ submission: QueuedSubmission) {
        logger.warning("lease lost", metadata: ["submission": "\(submission.submissionID)"])
    }
}
