/// The rules of sending, without a clock, a disk or a network: each event changes the state and yields the one thing to
/// do next.
///
/// ```
/// queue ─► reading ─► authorising ─► posting ─► settling ─► queue …
///                          ▲   401 once │
///                          └────────────┤
///             waiting ◄─────────────────┘ network, 5xx, 408, 425, 429, second 401, every answer without our mark
/// ```
/// Only the study settles a submission, and it says so (``SubmissionAnswer/Mark``). Acknowledged (200 or 201): the file
/// moves to the sent ones. Refused (4xx about its body) or unreadable: it moves aside and the next goes; a refused
/// Contract stops all. Everything else, a proxy's 404 as well as a page of maintenance with 200, keeps the file's place
/// and holds all behind it.
public struct OutboxSender: Sendable, Hashable {
    /// The limits to how long sending keeps trying.
    public struct Patience: Sendable, Hashable {
        /// Failures in a row after which sending ends with the files kept.
        public var attempts: Int
        /// The bound of the first wait in seconds; each later one is twice as long.
        public var firstDelay: Double
        /// The longest bound in seconds.
        public var longestDelay: Double

        /// A few tries, as a person at a terminal has patience for.
        public init(attempts: Int = 4, firstDelay: Double = 0.5, longestDelay: Double = 300) {
            self.attempts = attempts
            self.firstDelay = firstDelay
            self.longestDelay = longestDelay
        }
    }

    /// An event that the sender is told.
    public enum Event: Sendable, Hashable {
        /// The queue as it stands: at the start, after a file was settled, after a wait.
        case queue([OutboxEntry], ConsentStanding)
        /// The file was read and is whole.
        case fileRead
        /// The file cannot be read or is damaged.
        case fileUnreadable
        /// The file is gone.
        case fileMissing
        /// There is a token.
        case tokenObtained
        /// The server does not know the client any more.
        case tokenRefused
        /// No token for now.
        case tokenFailed(retryAfter: Double?)
        /// Somebody answered the submission.
        case answered(SubmissionAnswer)
        /// The server was not reached, or the connection broke.
        case networkFailed
        /// The caller's time is over.
        case timeOver
    }

    /// The effect of an event: the next thing to do.
    public enum Effect: Sendable, Hashable {
        /// List the queue and report ``Event/queue(_:_:)``.
        case list
        /// Read this file.
        case read(OutboxEntry)
        /// Get a token; a new one even if there is one.
        case obtainToken(renewing: Bool)
        /// Send this file.
        case post(OutboxEntry)
        /// The study has it: move the file to the sent ones, then list.
        case moveToSent(OutboxEntry)
        /// It will never be taken: move it aside, then list.
        case moveAside(OutboxEntry, status: Int?, code: String)
        /// Wait `atLeast` seconds (0 to a day) and a random part of `spread` more, then list.
        case wait(atLeast: Double, spread: Double)
        /// Nothing more to do.
        case finish(Outcome)
    }

    /// The outcome of sending.
    public enum Outcome: Sendable, Hashable {
        /// The queue is empty.
        case emptied
        /// The first file keeps its place for later; the code says why.
        case held(code: String)
        /// The Contract was refused: nothing goes before a new one.
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
    /// Why the last failure held the queue.
    var lastCode = "connection-failed"
    /// The submissions the server accepted.
    public internal(set) var sent = 0
    /// The submissions that moved aside.
    public internal(set) var refused = 0

    /// A sender that has not begun: report the queue first.
    public init(patience: Patience = Patience()) { self.patience = patience }

    /// A sender that has not begun, after so many failures in a row.
    init(patience: Patience, failures: Int) {
        self.patience = patience
        self.failures = failures
    }

    /// A sender that waits for the answer to a submission which another one sent.
    init(awaiting entry: OutboxEntry, isRenewed: Bool, patience: Patience, failures: Int) {
        self.init(patience: patience, failures: failures)
        phase = .posting(entry, renewed: isRenewed)
    }
}
