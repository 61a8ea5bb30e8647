/// What became of one sample, or of the deletion of one, in a store.
public enum HealthOutcome: Sendable, Hashable {
    /// The store durably has it; of a deletion, it durably has it no more.
    case stored
    /// It will never be taken as it is. The code is stable and says why.
    case refused(code: String)
    /// Not now. The code is stable; the wait in seconds is what the server asked for.
    case kept(code: String, retryAfter: Double?)
    /// The app said no to this sample: it is neither sent nor offered again.
    case declined

    /// What is taken for the outcome of a sample that nobody answered for.
    static let unanswered = HealthOutcome.kept(code: "unanswered", retryAfter: nil)

    /// A server may ask for a day at most.
    public static let longestDelay = 86_400.0

    /// The outcome that a server's answer to an addition or a change means.
    ///
    /// 2xx stores. 401, 408, 425, 429 and 5xx say nothing about the sample
    /// (<https://www.rfc-editor.org/rfc/rfc9110#section-15>, RFC 6585, RFC 8470), nor does what is no answer to it at all,
    /// a redirection or 407 of a proxy on the way. The other 4xx refuse.
    public init(status: Int, retryAfter: Double? = nil) {
        switch status {
        case 200..<300: self = .stored
        case 401, 407, 408, 425, 429: self = .kept(code: "http-\(status)", retryAfter: retryAfter)
        case 400..<500: self = .refused(code: "http-\(status)")
        default: self = .kept(code: "http-\(status)", retryAfter: retryAfter)
        }
    }

    /// The outcome that a server's answer to a deletion means: what is not there is deleted.
    public init(deletionStatus status: Int, retryAfter: Double? = nil) {
        self = status == 404 || status == 410 ? .stored : HealthOutcome(status: status, retryAfter: retryAfter)
    }
}
