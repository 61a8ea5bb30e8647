import Foundation

/// The queue between receiver and consumer. All methods throw ``StorageError``.
///
/// Order: the submissions of one lane (a device, also after it registered again) are leased in the order of their
/// arrival. Held and parked ones stand aside and block nothing; released ones take their old place again.
public protocol SubmissionQueue: Sendable {
    /// Stores a submission durably, once. Returns only when it would survive a crash.
    func enqueue(_ submission: NewSubmission) async throws -> EnqueueResult

    /// Leases received submissions, oldest first, for `duration` seconds.
    ///
    /// A lane in which another owner has a live lease is passed over. What this owner has leased already and not settled
    /// is given again, with a new lease, so that no later submission of a lane can come before an earlier one; hence
    /// consumers that work at the same time need different owner names.
    func lease(owner: String, limit: Int, duration: TimeInterval, now: Date) async throws
        -> [QueuedSubmission]

    /// Records what became of a submission, as part of the caller's transaction.
    ///
    /// `stored` and `refused` drop the sealed body and keep the digest; the first of these stays. Doing the same again
    /// changes nothing. Throws `queue-unknown-submission`, and `queue-outcome-invalid` for the status `received`.
    func settle(
        _ number: Int64, as outcome: SubmissionOutcome, at: Date, in transaction: any SQLTransaction)
        throws

    /// Puts held submissions back to received, in their order of arrival, and gives their number. `subject` nil: all held
    /// of the client's lane.
    @discardableResult
    func releaseHeld(clientID: String, subject: String?, at: Date, in transaction: any SQLTransaction)
        throws -> Int

    /// Counts an attempt that failed for a passing reason, gives the leases of the lane from this submission on back, and
    /// gives the number of attempts.
    func failedAttempt(_ number: Int64, at: Date) async throws -> Int

    /// The queue at a glance.
    func status(now: Date) async throws -> QueueStatus

    /// The submissions with this id (several clients may use the same), or all that are not stored.
    func show(submissionID: String?) async throws -> [SubmissionSummary]

    /// Puts a parked or held submission back to received; false if there is none.
    func retry(submissionID: String) async throws -> Bool

    /// Puts all parked submissions back to received and gives their number.
    func retryAllParked() async throws -> Int

    /// Refuses a parked or held submission for good, with reason `discarded`; false if there is none.
    func discard(submissionID: String, at: Date) async throws -> Bool

    /// What became of the submissions in the client's lane, by change number: each once, at its newest change after
    /// `after`. One that changes again appears again with a higher number.
    func deliveries(clientID: String, after: Int64, limit: Int) async throws -> [Delivery]

    /// The same for a lane by its name.
    func deliveries(lane: String, after: Int64, limit: Int) async throws -> [Delivery]
}
