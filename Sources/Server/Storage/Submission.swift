import Foundation

/// The format in which a submission is sealed.
public enum SubmissionFormat: String, Sendable {
    /// JWE JSON (RFC 7516).
    case jwe
    /// C3-PRO's JSON of four items.
    case c3pro
}

/// The status of a submission on its way.
public enum SubmissionStatus: String, Sendable {
    /// Durable in the queue, not yet handled.
    case received
    /// Recorded. Final.
    case stored
    /// Waits for the participant's consent.
    case held
    /// Will never be recorded. Final.
    case refused
    /// Could not be handled; the staff must look. A device is told `held`.
    case quarantined

    /// Whether nothing can change any more; the sealed body is dropped.
    public var isFinal: Bool { self == .stored || self == .refused }
}

/// A sealed submission as it arrives.
public struct NewSubmission: Sendable {
    /// The client that sent it.
    public let clientID: String
    /// Whose order and duplicates it belongs to: a device that registered again keeps its lane. The client's id unless
    /// told otherwise.
    public let lane: String
    /// The envelope's `sid`; for C3-PRO a UUID made from the digest.
    public let submissionID: String
    /// SHA-256, lower-case hex, of the bytes that count: the envelope, for C3-PRO its `message`.
    public let digest: String
    public let format: SubmissionFormat
    /// The device's own count, if its envelope tells it.
    public let sequence: Int64?
    /// The resource type that the URL names, if it does. Nothing but a hint.
    public let resourceTypeHint: String?
    /// The sealed bytes.
    public let body: Data
    public let receivedAt: Date

    public init(
        clientID: String, lane: String? = nil, submissionID: String, digest: String, format: SubmissionFormat,
        sequence: Int64? = nil, resourceTypeHint: String? = nil, body: Data, receivedAt: Date
    ) {
        self.clientID = clientID
        self.lane = lane ?? clientID
        self.submissionID = submissionID
        self.digest = digest
        self.format = format
        self.sequence = sequence
        self.resourceTypeHint = resourceTypeHint
        self.body = body
        self.receivedAt = receivedAt
    }
}

/// The result of handing a submission to the queue.
public enum EnqueueResult: Sendable, Hashable {
    /// It is in the queue.
    case accepted
    /// The very same is known already; nothing was stored.
    case duplicate
    /// Other bytes are known under the same submission id; nothing was stored.
    case conflict
    /// The device has too much that waits for consent or for the staff; nothing was stored.
    case overQuota
    /// The client was shut out, or replaced by a new registration, since it proved who it is; nothing was stored.
    case clientRevoked
}

/// A submission as the consumer leases it.
public struct QueuedSubmission: Sendable {
    /// The order of arrival.
    public let number: Int64
    public let clientID: String
    /// The device: its enrolment, which outlives its clients; the client's id where there is none.
    public let lane: String
    public let submissionID: String
    public let digest: String
    public let format: SubmissionFormat
    public let sequence: Int64?
    public let resourceTypeHint: String?
    public let body: Data
    public let receivedAt: Date
    /// How often handling it has failed for a passing reason.
    public let attempts: Int
    /// Under which name it is leased.
    public let leaseOwner: String
    /// The number of the lease: who settles must still hold it.
    public let lease: Int64

    public init(
        number: Int64, clientID: String, lane: String, submissionID: String, digest: String, format: SubmissionFormat,
        sequence: Int64? = nil, resourceTypeHint: String? = nil, body: Data, receivedAt: Date, attempts: Int = 0,
        leaseOwner: String = "", lease: Int64 = 0
    ) {
        self.number = number
        self.clientID = clientID
        self.lane = lane
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

/// The consumer's decision about a submission. It names no participant and no resource: the queue knows neither.
public struct SubmissionOutcome: Sendable, Hashable {
    /// Anything but `received`.
    public let status: SubmissionStatus
    /// A stable code that reveals no data.
    public let reasonCode: String?
    /// For the staff alone: a sentence without health data.
    public let detail: String?
    /// The key that opened it.
    public let keyID: String?
    /// Whether what the device has waiting takes its turn now, as after a Contract.
    public let releasesHeld: Bool
    /// When what is held is looked at again without anybody's doing; nil for never.
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

/// The delivery of one submission, as a device learns it.
public struct Delivery: Sendable, Hashable {
    /// The number of the submission's newest change; the cursor.
    public let change: Int64
    public let submissionID: String
    public let status: SubmissionStatus
    /// When the status came about.
    public let at: Date
    public let reasonCode: String?
}

/// The queue at a glance.
public struct QueueStatus: Sendable, Hashable {
    /// Submissions that wait to be handled.
    public let depth: Int
    /// When the oldest of these arrived.
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

/// A submission as the staff sees it: everything but the sealed bytes.
public struct SubmissionSummary: Sendable, Hashable {
    public let number: Int64
    public let clientID: String
    /// The device that sent it.
    public let lane: String
    public let submissionID: String
    public let status: SubmissionStatus
    public let reasonCode: String?
    public let detail: String?
    public let receivedAt: Date
    /// When the status came about.
    public let at: Date
    public let attempts: Int
    public let format: SubmissionFormat
    /// Bytes of the sealed body as it arrived.
    public let size: Int
    public let keyID: String?
}
