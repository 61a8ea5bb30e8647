import Foundation
import Storage

/// Format of a sealed submission.
public enum SubmissionFormat: String, Sendable {
    /// JWE JSON (RFC 7516).
    case jwe
    /// C3-PRO's JSON with four members.
    case c3pro
}

/// Status of a submission in the queue.
public enum SubmissionStatus: String, Sendable {
    /// Stored durably in the queue, not processed yet.
    case received
    /// Recorded. Final.
    case stored
    /// Waits for the participant's consent.
    case held
    /// Will never be recorded. Final.
    case refused
    /// Could not be processed; staff must decide. Reported to the device as `held`.
    case quarantined

    /// Whether the status is final; the sealed body is then deleted.
    public var isFinal: Bool { self == .stored || self == .refused }
}

/// A sealed submission on arrival.
public struct NewSubmission: Sendable {
    /// Client that sent it.
    public let clientID: String
    /// Id of the enrolment, whose device queue has an order and no duplicates: a device that registers again keeps it.
    /// The client's id by default.
    public let enrolmentID: String
    /// `sid` of the envelope; for C3-PRO a UUID derived from the digest.
    public let submissionID: String
    /// SHA-256 in lowercase hexadecimal of the envelope, or of C3-PRO's `message`.
    public let digest: String
    public let format: SubmissionFormat
    /// Sequence number that the device assigned, if the envelope contains one.
    public let sequence: Int64?
    /// Resource type in the URL, if any. Only a hint.
    public let resourceTypeHint: String?
    /// Sealed bytes.
    public let body: Data
    public let receivedAt: Date

    public init(
        clientID: String, enrolmentID: String? = nil, submissionID: String, digest: String, format: SubmissionFormat,
        sequence: Int64? = nil, resourceTypeHint: String? = nil, body: Data, receivedAt: Date
    ) {
        self.clientID = clientID
        self.enrolmentID = enrolmentID ?? clientID
        self.submissionID = submissionID
        self.digest = digest
        self.format = format
        self.sequence = sequence
        self.resourceTypeHint = resourceTypeHint
        self.body = body
        self.receivedAt = receivedAt
    }
}

/// Result of adding a submission to the queue.
public enum EnqueueResult: Sendable, Hashable {
    /// The submission is in the queue.
    case accepted
    /// An identical submission is already known; nothing was stored.
    case duplicate
    /// Other bytes with the same submission id are known; nothing was stored.
    case conflict
    /// The device's held and quarantined submissions exceed the quota; nothing was stored.
    case overQuota
    /// The client was revoked, or replaced by a new registration, after it was authenticated; nothing was stored.
    case clientRevoked
}

/// A submission that the consumer has leased.
public struct QueuedSubmission: Sendable {
    /// Number in the order of arrival.
    public let number: Int64
    public let clientID: String
    /// Id of the enrolment, which outlives clients; the client's id if there is no enrolment.
    public let enrolmentID: String
    public let submissionID: String
    public let digest: String
    public let format: SubmissionFormat
    public let sequence: Int64?
    public let resourceTypeHint: String?
    public let body: Data
    public let receivedAt: Date
    /// Number of attempts that failed for a temporary reason.
    public let attempts: Int
    /// Owner of the lease.
    public let leaseOwner: String
    /// Number of the lease. Only the holder of the current lease may settle.
    public let lease: Int64

    public init(
        number: Int64, clientID: String, enrolmentID: String, submissionID: String, digest: String,
        format: SubmissionFormat,
        sequence: Int64? = nil, resourceTypeHint: String? = nil, body: Data, receivedAt: Date, attempts: Int = 0,
        leaseOwner: String = "", lease: Int64 = 0
    ) {
        self.number = number
        self.clientID = clientID
        self.enrolmentID = enrolmentID
        self.submissionID = submissionID
        self.digest = digest
        self.format = format
        self.sequence = sequence
        self.resourceTypeHint = resourceTypeHint
        self.body = body
        self.receivedAt = receivedAt
        self.attempts = attempts
        self.leaseOwner = leaseOwner
        self.lease = lease
    }
}

/// The consumer's decision about a submission. It contains no participant and no resource, because the queue must not
/// know them.
public struct SubmissionOutcome: Sendable, Hashable {
    /// Status; never `received`.
    public let status: SubmissionStatus
    /// Stable code that reveals no data.
    public let reasonCode: String?
    /// Text for staff only, without health data.
    public let detail: String?
    /// Id of the key that opened the submission.
    public let keyID: String?
    /// Whether the device's held submissions are released, for example after a Contract.
    public let releasesHeld: Bool
    /// Time at which a held submission is processed again automatically; nil for never.
    public let heldUntil: Date?

    public init(
        status: SubmissionStatus, reasonCode: String? = nil, detail: String? = nil, keyID: String? = nil,
        releasesHeld: Bool = false, heldUntil: Date? = nil
    ) {
        self.status = status
        self.reasonCode = reasonCode
        self.detail = detail
        self.keyID = keyID
        self.releasesHeld = releasesHeld
        self.heldUntil = heldUntil
    }
}

/// Delivery status of one submission, as reported to its device.
public struct Delivery: Sendable, Hashable {
    /// Number of the submission's latest change; serves as the cursor.
    public let change: Int64
    public let submissionID: String
    public let status: SubmissionStatus
    /// Time of the change.
    public let at: Date
    public let reasonCode: String?
}

/// Summary of the queue.
public struct QueueStatus: Sendable, Hashable {
    /// Number of submissions that wait to be processed.
    public let depth: Int
    /// Receipt time of the oldest waiting submission.
    public let oldestReceivedAt: Date?
    public let held: Int
    public let quarantined: Int

    public init(depth: Int, oldestReceivedAt: Date?, held: Int, quarantined: Int) {
        self.depth = depth
        self.oldestReceivedAt = oldestReceivedAt
        self.held = held
        self.quarantined = quarantined
    }
}

/// A submission as reported to staff: everything except the sealed body.
public struct SubmissionSummary: Sendable, Hashable {
    public let number: Int64
    public let clientID: String
    /// Enrolment of the sender.
    public let enrolmentID: String
    public let submissionID: String
    public let status: SubmissionStatus
    public let reasonCode: String?
    public let detail: String?
    public let receivedAt: Date
    /// Time of the latest change of the status.
    public let at: Date
    public let attempts: Int
    public let format: SubmissionFormat
    /// Size of the sealed body in bytes, as received.
    public let size: Int
    public let keyID: String?
}
