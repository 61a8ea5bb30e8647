import Foundation

/// The queue between receiver and consumer. All methods throw ``StorageError``.
///
/// Order: the submissions of one lane (a device, also after it registered again) are leased in the order of their
/// arrival. Held and quarantined ones stand aside and block nothing; released ones take their old place again.
///
/// The queue is a store of its own, beside that of the records: a submission is settled after the records have it, by
/// whoever still holds its lease.
public protocol SubmissionQueue: Sendable {
    /// Stores a submission durably, once. Returns only when it would survive a crash.
    ///
    /// - Parameter quota: the bytes that the device may have waiting for consent or for the staff; nil for any.
    func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult

    /// Leases received submissions, oldest first, for `duration` seconds, and counts for each that it was begun.
    ///
    /// A lane in which another owner has a live lease is passed over. One that was begun and never ended, for the process
    /// was killed over it, comes last and alone, and what stands behind it in its lane waits; begun three times, it is
    /// quarantined as `processing-crashed`. An owner that asks again for what it has leased itself lives: that does not count.
    ///
    /// - Parameters:
    ///   - isIdle: whether the owner handles nothing now. Otherwise it gets nothing of the lanes in which it has
    ///     submissions, and nothing that comes alone.
    ///   - lanes: nothing of these is leased, and nothing that comes alone; of more than
    ///     ``SQLSubmissionQueue/mostPassedOver`` the last.
    func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool, passingOver lanes: [String]
    ) async throws -> [QueuedSubmission]

    /// Ends the leases of all other owners. Only for who knows that none of them lives, as the holder of the consumer's
    /// lock does.
    func takeOverLeases(owner: String) async throws

    /// The owners of leases.
    func leaseOwners() async throws -> [String]

    /// Ends the leases of an owner that lives no more. What it had begun counts as begun.
    func endLeases(of owner: String) async throws

    /// Puts off the end of an owner's leases, whatever is behind `duration` seconds from now.
    func renew(owner: String, duration: TimeInterval, now: Date) async throws

    /// Gives back what an owner has leased and not settled: it was not begun.
    func giveBack(owner: String) async throws

    /// Whether a submission is still received and leased as this value says.
    func isHeld(_ submission: QueuedSubmission) async throws -> Bool

    /// Records, in one transaction and in their order, what became of submissions that are still received and leased as
    /// these values say.
    ///
    /// `stored` and `refused` drop the sealed body and keep the digest.
    /// - Returns: for each, false where somebody else has it or it is settled; then nothing of it was changed.
    /// - Throws: `queue-outcome-invalid` for the status `received`.
    func settle(_ settlements: [Settlement], at: Date) async throws -> [Bool]

    /// Puts held submissions back to received, in their order of arrival, and gives their number.
    @discardableResult
    func release(_ selection: HeldSelection, at: Date) async throws -> Int

    /// Gives the leases of the lane from this submission on back: it could not be handled for a passing reason.
    ///
    /// - Parameter isFailure: whether it counts among the submission's failed attempts.
    func postpone(_ submission: QueuedSubmission, isFailure: Bool) async throws

    /// The queue at a glance.
    func status(now: Date) async throws -> QueueStatus

    /// The submissions with this id (several clients may use the same), or all that are not stored.
    func show(submissionID: String?) async throws -> [SubmissionSummary]

    /// Puts a quarantined or held submission back to received; false if there is none.
    func retry(submissionID: String) async throws -> Bool

    /// Puts all quarantined submissions back to received and gives their number.
    func retryAllQuarantined() async throws -> Int

    /// Refuses a quarantined or held submission for good, with reason `discarded`; false if there is none.
    func discard(submissionID: String, at: Date) async throws -> Bool

    /// Returns the deliveries of a lane's submissions, by change number: each once, at its newest change after `after`.
    /// One that changes again appears again with a higher number.
    func deliveries(lane: String, after: Int64, limit: Int) async throws -> [Delivery]

    /// The numbers of a device that never came, though a later one did; the lowest first.
    func missing(lane: String, limit: Int) async throws -> [MissingSequences]
}

/// A submission and what became of it.
public struct Settlement: Sendable {
    public let submission: QueuedSubmission
    public let outcome: SubmissionOutcome

    public init(_ submission: QueuedSubmission, as outcome: SubmissionOutcome) {
        self.submission = submission
        self.outcome = outcome
    }
}

/// Which held submissions are meant.
public enum HeldSelection: Sendable, Hashable {
    /// Those of a device.
    case lane(String)
    /// Those that are held for a reason.
    case reason(String)
    /// Those whose time to be looked at again has come.
    case due(Date)
}

extension SubmissionQueue {
    /// Records what became of one submission (``settle(_:at:)``).
    public func settle(
        _ submission: QueuedSubmission, as outcome: SubmissionOutcome, at: Date
    ) async throws -> Bool {
        try await settle([Settlement(submission, as: outcome)], at: at).first ?? false
    }

    /// Leases of all lanes (``lease(owner:limit:duration:now:isIdle:passingOver:)``).
    public func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool
    ) async throws -> [QueuedSubmission] {
        try await lease(owner: owner, limit: limit, duration: duration, now: now, isIdle: isIdle, passingOver: [])
    }
}
