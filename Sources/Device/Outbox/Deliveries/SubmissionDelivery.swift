/// The delivery of one submission of this device, with its state.
public struct SubmissionDelivery: Sendable, Hashable {
    /// The state of a delivery.
    public enum State: Sendable, Hashable {
        /// The submission is queued, or received and not processed yet.
        case waiting
        /// The study holds the submission until something arrives, such as the consent. The stable code is the reason,
        /// if the study reports one.
        case held(code: String?)
        /// The study has recorded the submission.
        case stored
        /// The study refused the submission, for the reason with this stable code.
        case refused(code: String)
    }

    /// The submission: its number, kind and id.
    public let entry: OutboxEntry
    /// Its current state.
    public let state: State

    /// Whether the state is final: stored or refused.
    public var isSettled: Bool { state.isSettled }
}

extension SubmissionDelivery.State {
    /// Whether the state is final: stored or refused.
    var isSettled: Bool {
        switch self {
        case .stored, .refused: true
        case .waiting, .held: false
        }
    }

    /// Creates the state of a study's status. An unknown status of a newer server is not final.
    init(status: String, reason: String?) {
        switch status {
        case "stored": self = .stored
        case "refused": self = .refused(code: reason ?? "refused")
        case "held": self = .held(code: reason)
        default: self = .waiting
        }
    }
}
