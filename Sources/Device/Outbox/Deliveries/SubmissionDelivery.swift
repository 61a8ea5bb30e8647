/// The delivery of one submission of this device, which says what became of it.
public struct SubmissionDelivery: Sendable, Hashable {
    /// The state of a delivery.
    public enum State: Sendable, Hashable {
        /// It is queued, or received and not looked at yet.
        case waiting
        /// The study keeps it aside until something comes, such as the consent; the stable code says what, where the study
        /// does.
        case held(code: String?)
        /// The study has recorded it.
        case stored
        /// The study does not take it, for the reason with this stable code.
        case refused(code: String)
    }

    /// The submission: its number, kind and id.
    public let entry: OutboxEntry
    /// How it stands now.
    public let state: State

    /// Whether nothing more happens to it by itself.
    public var isSettled: Bool { state.isSettled }
}

extension SubmissionDelivery.State {
    /// Whether nothing more happens by itself.
    var isSettled: Bool {
        switch self {
        case .stored, .refused: true
        case .waiting, .held: false
        }
    }

    /// Makes the state that the study's status means. A status of a later server is none that is final.
    init(status: String, reason: String?) {
        switch status {
        case "stored": self = .stored
        case "refused": self = .refused(code: reason ?? "refused")
        case "held": self = .held(code: reason)
        default: self = .waiting
        }
    }
}
