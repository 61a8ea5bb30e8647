import Core

/// An error of the outbox, the device's store or the connection to the study.
///
/// The message never contains a secret, health data or a part of a submission.
public struct OutboxError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Nothing may be queued before the signed Contract.
        case consentRequired = "consent-required"
        /// The kind of resource is not a word of letters.
        case kindInvalid = "kind-invalid"
        /// The sealed bytes do not contain the required number and id.
        case envelopeMismatch = "envelope-mismatch"
        /// A queued file cannot be read or is no envelope.
        case entryUnreadable = "entry-unreadable"
        /// Another process uses the outbox.
        case outboxBusy = "outbox-busy"
        /// The outbox's state file is damaged.
        case stateDamaged = "outbox-state-damaged"
        /// The file does not exist.
        case fileMissing = "file-missing"
        /// The disk is full.
        case storageFull = "storage-full"
        /// Another failure of the file system.
        case storageFailed = "storage-failed"
        /// The store was never enrolled in a study.
        case notEnrolled = "not-enrolled"
        /// The store is already enrolled in a study.
        case alreadyEnrolled = "already-enrolled"
        /// The study's address is no http(s) URL, or an http URL to another machine.
        case urlInvalid = "url-invalid"
        /// The server could not be reached, or the connection broke.
        case connectionFailed = "connection-failed"
        /// The server's certificate is not trusted: its authority is unknown, it is for another host, or it has
        /// expired.
        case certificateUntrusted = "certificate-untrusted"
        /// The server cannot process the request now; a later attempt may succeed.
        case serverUnavailable = "server-unavailable"
        /// The server refused the registration: antispam word, receipt or invitation.
        case registrationRefused = "registration-refused"
        /// The server does not accept the client's id and secret.
        case tokenRefused = "token-refused"
        /// The server refused another request.
        case requestRefused = "request-refused"
        /// The server's response does not have the expected form.
        case answerInvalid = "answer-invalid"
    }

    /// The kind.
    public let reason: Reason
    /// A sentence for a person.
    public let message: String
    /// The HTTP status, if the error is a response of the server.
    public let status: Int?
    /// The delay in seconds that the server asked for (`Retry-After`).
    public let retryAfter: Double?

    /// Creates an error of this kind with this message.
    public init(_ reason: Reason, _ message: String, status: Int? = nil, retryAfter: Double? = nil) {
        self.reason = reason
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
    }

    /// The stable code, such as `consent-required`.
    public var code: String { reason.rawValue }
}
