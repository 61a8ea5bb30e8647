/// The outcome of one sample, or of the deletion of one, in a store.
public enum HealthOutcome: Sendable, Hashable {
    /// The store has durably stored the sample, or durably deleted it.
    case stored
    /// The sample will never be accepted in its present form. The code is stable and is the reason.
    case refused(code: String)
    /// Deferred. The code is stable; the delay in seconds is the one that the server asked for.
    case deferred(code: String, retryAfter: Double?)
    /// The app declined this sample: it is neither sent nor offered again.
    case declined

    /// The outcome of a sample without an answer.
    static let unanswered = HealthOutcome.deferred(code: "unanswered", retryAfter: nil)

    /// Maximum delay in seconds that a server may ask for: one day.
    public static let longestDelay = 86_400.0

    /// Creates the outcome of an HTTP response to an addition or a change.
    ///
    /// 2xx means stored. 401, 408, 425, 429 and 5xx do not concern the sample
    /// (<https://www.rfc-editor.org/rfc/rfc9110#section-15>, RFC 6585, RFC 8470), nor do responses that are not the
    /// server's answer to it: a redirection, or 407 of a proxy. They defer the sample. Other 4xx refuse it.
    public init(status: Int, retryAfter: Double? = nil) {
        switch status {
        case 200..<300: self = .stored
        case 401, 407, 408, 425, 429: self = .deferred(code: "http-\(status)", retryAfter: retryAfter)
        case 400..<500: self = .refused(code: "http-\(status)")
        default: self = .deferred(code: "http-\(status)", retryAfter: retryAfter)
        }
    }

    /// Creates the outcome of an HTTP response to a deletion. An absent resource counts as deleted.
    public init(deletionStatus status: Int, retryAfter: Double? = nil) {
        self = status == 404 || status == 410 ? .stored : HealthOutcome(status: status, retryAfter: retryAfter)
    }
}
