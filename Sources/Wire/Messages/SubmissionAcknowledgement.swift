import Core

/// The study's answer to a submission whose sealed bytes it holds durably: status 200, `application/json`,
/// `{"status":"received","submission":"<sid>"}`.
///
/// It is the mark by which a device tells the study from whatever else may answer on the way: a proxy, a firewall, a
/// page of maintenance. A C3-PRO app gets the empty 200 that it expects.
public struct SubmissionAcknowledgement: JSONMessage, Encodable, Sendable, Hashable {
    /// The submission's id, as in the envelope's header `sid`.
    public var submission: String
    /// The state of the submission so far: `received`. Text, so that a later server's word does not break a device.
    public var status: String

    /// Makes an acknowledgement.
    public init(submission: String, status: String = "received") {
        self.submission = submission
        self.status = status
    }

    public init?(json: JSON) {
        guard let submission = json["submission"]?.string, let status = json["status"]?.string else { return nil }
        self.init(submission: submission, status: status)
    }
}
