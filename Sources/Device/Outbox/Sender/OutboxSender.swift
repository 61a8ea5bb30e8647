/// The rules of sending, without a clock, a disk or a network: each event changes the state and returns the next
/// effect.
///
/// ```
/// queue ─► reading ─► authorising ─► posting ─► settling ─► queue …
///                          ▲   401 once │
///                          └────────────┤
///             waiting ◄─────────────────┘ network, 5xx, 408, 425, 429, second 401, every response without the mark
/// ```
/// Only the study settles a submission, by a response with its mark (``SubmissionAnswer/Mark``). After an
/// acknowledgement (200 or 201), the file moves to the sent ones. After a refusal (4xx about its body), or if it is
/// unreadable, it moves to the refused ones and the next is sent; a refused Contract stops all. After every other
/// response, such as a proxy's 404 or a maintenance page with 200, the file stays first in the queue, and no later one
/// is sent.
public struct OutboxSender: Sendable, Hashable {
    /// The limits of repeated attempts.
    public struct Patience: Sendable, Hashable {
        /// Number of consecutive failures after which sending ends. The files stay in the queue.
        public var attempts: Int
        /// Upper bound of the first delay in seconds; each later bound is twice as long.
        public var firstDelay: Double
        /// Maximum of that bound, in seconds.
        public var longestDelay: Double

        /// Creates limits; by default a few attempts, for a person at a terminal.
        public init(attempts: Int = 4, firstDelay: Double = 0.5, longestDelay: Double = 300) {
            self.attempts = attempts
            self.firstDelay = firstDelay
            self.longestDelay = longestDelay
        }
    }

    /// An event that the sender handles.
    public enum Event: Sendable, Hashable {
        /// The current queue: at the start, after a file was settled, after a delay.
        case queue([OutboxEntry], OutboxConsentState)
        /// The file was read and is valid.
        case fileRead
        /// The file cannot be read or is damaged.
        case fileUnreadable
        /// The file does not exist.
        case fileMissing
        /// A token is available.
        case tokenObtained
        /// The server does not accept the client's credentials.
        case tokenRefused
        /// No token is available now.
        case tokenFailed(retryAfter: Double?)
        /// There is a response to the submission.
        case answered(SubmissionAnswer)
        /// The server was not reached, or the connection broke.
        case networkFailed
        /// The caller's time is over.
        case timeOver
    }

    /// The effect of an event: the next operation to perform.
    public enum Effect: Sendable, Hashable {
        /// List the queue and post ``Event/queue(_:_:)``.
        case list
        /// Read this file.
        case read(OutboxEntry)
        /// Get a token; a new one if `renewing` is true.
        case obtainToken(renewing: Bool)
        /// Send this file.
        case post(OutboxEntry)
        /// The study acknowledged the file: move it to the sent ones, then list.
        case moveToSent(OutboxEntry)
        /// The file will never be accepted: move it to the refused ones, then list.
        case moveToRefused(OutboxEntry, status: Int?, code: String)
        /// Wait `atLeast` seconds (0 to a day) and a random part of `spread` more, then list.
        case wait(atLeast: Double, spread: Double)
        /// Sending is finished.
        case finish(Outcome)
    }

    /// The outcome of sending.
    public enum Outcome: Sendable, Hashable {
        /// The queue is empty.
        case emptied
        /// The first file is deferred, for the reason with this code.
        case held(code: String)
        /// The Contract was refused: nothing is sent before a new one.
        case stopped
    }

    enum Phase: Sendable, Hashable {
        case listing
        case reading(OutboxEntry)
        case authorising(OutboxEntry, renewed: Bool)
        case posting(OutboxEntry, renewed: Bool)
        case finished(Outcome)
    }

    let patience: Patience
    var phase = Phase.listing
    var failures = 0
    /// The code of the last failure.
    var lastCode = "connection-failed"
    /// The submissions the server accepted.
    public internal(set) var sent = 0
    /// The submissions that moved to the refused ones.
    public internal(set) var refused = 0

    /// Creates a sender that has not begun: post the queue first.
    public init(patience: Patience = Patience()) { self.patience = patience }

    /// Creates a sender that has not begun, after a number of consecutive failures.
    init(patience: Patience, failures: Int) {
        self.patience = patience
        self.failures = failures
    }

    /// Creates a sender that waits for the answer to a submission of another sender.
    init(awaiting entry: OutboxEntry, isRenewed: Bool, patience: Patience, failures: Int) {
        self.init(patience: patience, failures: failures)
        phase = .posting(entry, renewed: isRenewed)
    }
}
