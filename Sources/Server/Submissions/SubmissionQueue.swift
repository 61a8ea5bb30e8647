import Foundation
import Storage

/// Queue between receiver and consumer. All methods throw ``StorageError``.
///
/// The submissions of one device queue are leased in the order of their arrival, also after the device registered
/// again. Held and quarantined submissions block no others; a released one returns to its original position.
///
/// The queue is a store separate from the records: a submission is settled after it was recorded, by the current holder
/// of its lease.
public protocol SubmissionQueue: Sendable {
    /// Stores a submission durably, once. Returns only when it would survive a crash.
    ///
    /// - Parameter quota: maximum bytes of the device's held and quarantined submissions; nil for no limit.
    func enqueue(_ submission: NewSubmission, quota: Int?) async throws -> EnqueueResult

    /// Leases received submissions, oldest first, for `duration` seconds, and increments for each the number of times
    /// that it was begun.
    ///
    /// A device queue in which another owner has a valid lease is skipped. A submission that was begun and not ended,
    /// because the process was killed, is leased last and alone, and later ones of its device queue wait; after three
    /// such attempts it is quarantined as `processing-crashed`. Leasing one's own leased submission again does not
    /// count as an attempt.
    ///
    /// - Parameters:
    ///   - isIdle: whether the owner has no submission in progress. Otherwise it receives none from device queues in
    ///     which it has submissions, and none that must be leased alone.
    ///   - enrolmentIDs: enrolments to skip; if not empty, no submission is leased alone. Only the last
    ///     ``SQLSubmissionQueue/maximumPassedOver`` are used.
    func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool, passingOver enrolmentIDs: [String]
    ) async throws -> [QueuedSubmission]

    /// Ends the leases of all other owners. Only for a caller that knows that none of them is alive, such as the holder
    /// of the consumer's lock.
    func takeOverLeases(owner: String) async throws

    /// Returns the owners of leases.
    func leaseOwners() async throws -> [String]

    /// Ends the leases of an owner that is no longer alive. Its submissions still count as begun.
    func endLeases(of owner: String) async throws

    /// Extends all leases of an owner to `duration` seconds from now.
    func renew(owner: String, duration: TimeInterval, now: Date) async throws

    /// Gives back the submissions that an owner has leased and not settled; they no longer count as begun.
    func giveBack(owner: String) async throws

    /// Whether a submission is still received and has the lease of this value.
    func isHeld(_ submission: QueuedSubmission) async throws -> Bool

    /// Records outcomes in one transaction, in order, for submissions that are still received and have the leases of
    /// these values.
    ///
    /// `stored` and `refused` delete the sealed body and keep the digest.
    /// - Returns: for each one, false if another owner has it or it is already settled; then nothing of it was changed.
    /// - Throws: `queue-outcome-invalid` for the status `received`.
    func settle(_ settlements: [Settlement], at: Date) async throws -> [Bool]

    /// Returns held submissions to `received` in the order of their arrival, and returns their number.
    @discardableResult
    func release(_ selection: HeldSelection, at: Date) async throws -> Int

    /// Defers a submission after a temporary failure: gives back its lease and those of later submissions in its device
    /// queue.
    ///
    /// - Parameter isFailure: whether it counts as a failed attempt of the submission.
    func postpone(_ submission: QueuedSubmission, isFailure: Bool) async throws

    /// Returns a summary of the queue.
    func status(now: Date) async throws -> QueueStatus

    /// Returns the submissions with this id (several clients may use the same one), or all that are not stored.
    func show(submissionID: String?) async throws -> [SubmissionSummary]

    /// Returns a quarantined or held submission to `received`; false if there is none.
    func retry(submissionID: String) async throws -> Bool

    /// Returns all quarantined submissions to `received`, and returns their number.
    func retryAllQuarantined() async throws -> Int

    /// Refuses a quarantined or held submission for good, with reason `discarded`; false if there is none.
    func discard(submissionID: String, at: Date) async throws -> Bool

    /// Returns the deliveries of a device queue's submissions by change number: each one once, at its latest change
    /// after `after`. A submission that changes again appears again with a higher number.
    func deliveries(enrolmentID: String, after: Int64, limit: Int) async throws -> [Delivery]

    /// Returns the sequence numbers of a device that are missing before a received one, in ascending order.
    func missing(enrolmentID: String, limit: Int) async throws -> [MissingSequences]
}

/// A submission and its outcome.
public struct Settlement: Sendable {
    public let submission: QueuedSubmission
    public let outcome: SubmissionOutcome

    public init(_ submission: QueuedSubmission, as outcome: SubmissionOutcome) {
        self.submission = submission
        self.outcome = outcome
    }
}

/// Selection of held submissions.
public enum HeldSelection: Sendable, Hashable {
    /// Those of a device queue.
    case deviceQueue(String)
    /// Those that are held for a reason.
    case reason(String)
    /// Those whose `heldUntil` has passed.
    case due(Date)
}

extension SubmissionQueue {
    /// Records the outcome of one submission (``settle(_:at:)``).
    public func settle(
        _ submission: QueuedSubmission, as outcome: SubmissionOutcome, at: Date
    ) async throws -> Bool {
        try await settle([Settlement(submission, as: outcome)], at: at).first ?? false
    }

    /// Leases from all device queues (``lease(owner:limit:duration:now:isIdle:passingOver:)``).
    public func lease(
        owner: String, limit: Int, duration: TimeInterval, now: Date, isIdle: Bool
    ) async throws -> [QueuedSubmission] {
        try await lease(owner: owner, limit: limit, duration: duration, now: now, isIdle: isIdle, passingOver: [])
    }
}
