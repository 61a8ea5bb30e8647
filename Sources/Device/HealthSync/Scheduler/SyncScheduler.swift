/// The rules that schedule the streams: which stream is next, how much a wake may do, and when HealthKit's completion
/// handlers are called. Without a clock, a disk or a network: each event changes the state and returns the next
/// effects.
///
/// ```
///           asked                    began                     no work or no budget left
/// idle ───────────► gathering ───────────────► running ──────────────────────────────┐
///  ▲  ▲                                        │  ▲ │ a step at a time               │
///  │  │                 time over, stop        │  └─┘ changes, quarantine, history   │
///  │  └────── winding down ◄───────────────────┘                                     │
///  │           the last step ends; pending requests become the next run              │
///  └─────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// - There is one run at a time. All requests that arrive meanwhile become the next run.
/// - A run processes changes of all streams in rotation, then quarantined samples, then history: newest first, not in
///   Low Power Mode, and only while the store has no backlog.
/// - Each request is answered exactly once, also if the run fails, is stopped or exceeds its time.
public struct SyncScheduler: Sendable {
    /// A request for a run, by an observer's wake or by the app.
    public struct Request: Sendable, Hashable {
        /// The number of the request; never used twice.
        public let id: Int
        /// The types that changed; nil for all.
        public let types: Set<String>?
        /// Whether the phone is in Low Power Mode; then no history is read.
        public let isLowPower: Bool

        /// Creates a request.
        public init(id: Int, types: Set<String>? = nil, isLowPower: Bool = false) {
            self.id = id
            self.types = types
            self.isLowPower = isLowPower
        }
    }

    /// The status of a stream at the beginning of a run.
    public struct StreamStatus: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// Whether history is left.
        public var hasHistory: Bool
        /// Whether quarantined samples must be offered again.
        public var hasDue: Bool
        /// The failures of its store.
        public var hold: HealthStoreHold?
        /// The code of the error that prevents work on the stream; nil if there is none.
        public var failure: String?

        /// Creates a status.
        public init(
            _ stream: HealthStream, hasHistory: Bool = true, hasDue: Bool = false, hold: HealthStoreHold? = nil,
            failure: String? = nil
        ) {
            self.stream = stream
            self.hasHistory = hasHistory
            self.hasDue = hasDue
            self.hold = hold
            self.failure = failure
        }

        /// Creates the status of a state.
        ///
        /// - Parameter lookBack: seconds that the history goes back; nil takes all of it.
        public init(_ stream: HealthStream, _ state: HealthStreamState, version: String, lookBack: Double?) {
            let limit = state.historyLimit(lookBack: lookBack)
            self.init(
                stream,
                hasHistory: state.began == nil || !state.history.isDone(to: limit)
                    || state.quarantine.reopensHistory(for: version),
                hasDue: state.quarantine.isDue(for: version), hold: state.hold)
        }
    }

    /// An event that the rules handle.
    public enum Event: Sendable, Hashable {
        /// A run is requested.
        case asked(Request)
        /// An observer failed with this stable code, and waits for its completion handler.
        case observerFailed(id: Int, code: String)
        /// A request is cancelled by its caller.
        case abandoned(Int)
        /// A reset of streams is requested; it is answered like a run.
        case resetAsked(id: Int, [HealthStream])
        /// The streams were reset; the stable code is that of a failure.
        case forgot(code: String?)
        /// The status of the streams, the time, and a random number in 0..<1.
        case began([StreamStatus], now: Double, random: Double)
        /// A step ended.
        case stepped(HealthStepReport)
        /// The size of the store's backlog; nil if it is unknown.
        case backlog(Int?)
        /// The clock that ``Effect/startClock(run:)`` started has expired.
        case timeOver(run: Int)
        /// Observers must run for these types.
        case start([String])
        /// All observers and all work must stop. The saved state is kept.
        case stop
    }

    /// The effect of an event.
    public enum Effect: Sendable, Hashable {
        /// Collect the input of a run, and post ``Event/began(_:now:random:)``.
        case gather
        /// Perform this work on this stream, and post ``Event/stepped(_:)``.
        case step(HealthStream, HealthStreamStep.Work, WakeBudget)
        /// End the step soon: cancel its pending calls.
        case cancelStep
        /// Ask the store for its backlog, and post ``Event/backlog(_:)``.
        case askBacklog(store: String)
        /// Erase the saved state of the streams, and post ``Event/forgot(code:)``.
        case forget([HealthStream])
        /// Post ``Event/timeOver(run:)`` when the time of a wake is over.
        case startClock(run: Int)
        /// Answer these requests, each once, with the report: call their completion handlers.
        case answer([Int], HealthSyncReport)
        /// Ask the system for a wake in `atLeast` seconds and a random part of `spread` more.
        case askToWake(atLeast: Double, spread: Double)
        /// Observe these types.
        case startObserving([String])
        /// Observe nothing.
        case stopObserving
    }

    enum Phase: Sendable, Hashable {
        case idle, gathering, stepping
        case asking(HealthStream)
        case forgetting
        /// The requests were answered; the step has not ended.
        case winding
    }

    let limits: HealthSyncLimits
    var phase = Phase.idle
    var isStopped = false
    var isObserving = false
    /// The requests of the current run.
    var current: [Request] = []
    /// The requests for the next run.
    var waiting: [Request] = []
    /// The streams to erase before the next run, with the number of each request.
    var resets: [(id: Int, streams: [HealthStream])] = []
    var resetting: [Int] = []
    var run = HealthRun()
    /// The number of the clock of the run, or of the requests that wait for a run to wind down. Earlier clocks are
    /// ignored.
    var clock = 0
    /// Streams that had changes left when the last run ended.
    var unfinished: Set<HealthStream> = []

    /// Creates the rules without any request.
    public init(limits: HealthSyncLimits = HealthSyncLimits()) { self.limits = limits }
}

/// The limits of the work of one wake.
public struct HealthSyncLimits: Sendable, Hashable {
    /// Seconds. The system allows a background wake about thirty.
    public var seconds: Double
    /// Samples and deletions.
    public var samples: Int
    /// Bytes of JSON.
    public var bytes: Int
    /// Maximum number of samples that are read, and passed to a store, at once.
    public var batch: Int
    /// Upper bound of the first delay after a failure, in seconds; each later bound is twice as long.
    public var firstDelay: Double
    /// Maximum of that bound, in seconds.
    public var longestDelay: Double

    /// Creates limits; by default fifteen seconds, 2,000 samples and a megabyte. Values below one are raised to one,
    /// because a wake without a budget would never make progress. The maximum time is one day.
    public init(
        seconds: Double = 15, samples: Int = 2_000, bytes: Int = 1_000_000, batch: Int = 500,
        firstDelay: Double = 30, longestDelay: Double = 3_600
    ) {
        self.seconds = seconds.isFinite ? min(max(seconds, 1), 86_400) : 15
        self.samples = max(samples, 1)
        self.bytes = max(bytes, 1)
        self.batch = max(batch, 1)
        self.firstDelay = max(firstDelay, 0)
        self.longestDelay = max(longestDelay, 0)
    }
}

/// The state of one run over the streams.
struct HealthRun: Sendable {
    var budget = WakeBudget(samples: 1, bytes: 1)
    /// The streams whose changes, quarantine and history are to be processed, each in order.
    var changes: [HealthStream] = []
    var due: [HealthStream] = []
    var history: [HealthStream] = []
    /// Stores that defer samples: their failures and delays in seconds.
    var held: [String: (failures: Int, retryAfter: Double)] = [:]
    /// Stores with a backlog.
    var crowded: Set<String> = []
    var isLocked = false
    var isLowPower = false
    /// Streams with history left. It counts as remaining work even if this run does not read it.
    var hasHistory: Set<HealthStream> = []
    var report = HealthSyncReport()
}
