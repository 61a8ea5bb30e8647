import Core

/// The study's response to a submission whose sealed bytes are durably stored: status 200, `application/json`,
/// `{"status":"received","submission":"<sid>"}`.
///
/// By it, a device distinguishes the study from anything else that may respond on the way: a proxy, a firewall, a
/// maintenance page. A C3-PRO app gets the empty 200 that it expects.
public struct SubmissionAcknowledgement: JSONMessage, Encodable, Sendable, Hashable {
    /// The submission's id, as in the envelope's header `sid`.
    public var submission: String
    /// The current status of the submission: `received`. Text, so that a device accepts the status values of a later
    /// server.
    public var status: String

    /// Creates an acknowledgement.
    public init(submission: String, status: String = "received") {
        self.submission = submission
        self.status = status
    }

    public init?(json: JSON) {
        guard let submission = json["submission"]?.string, let status = json["status"]?.string else { return nil }
        self.init(submission: submission, status: status)
    }
}
