/// The rules above the streams: who has the turn, how much a wake may do, what goes first, and when HealthKit's completion
/// handlers are called. Without a clock, a disk or a network: each event changes the state and yields what to do next.
///
/// ```
///           asked                    began                     nothing left, no room
/// idle ───────────► gathering ───────────────► running ──────────────────────────────┐
///  ▲  ▲                                        │  ▲ │ a step at a time               │
///  │  │                 time over, stop        │  └─┘ changes, quarantine, history   │
///  │  └────── winding down ◄───────────────────┘                                     │
///  │           the last step ends; whoever waits has the next turn                   │
///  └─────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// - One run at a time. Whoever asks meanwhile waits, and all who wait become one run.
/// - A run works on changes of all streams in turn, then on what was set aside, then on history: newest first, not in Low
///   Power Mode, and only while nothing waits in the store.
/// - Each who asked is answered exactly once, also where the run fails, is stopped or runs out of time.
public struct HealthTurns: Sendable {
    /// Somebody who asks for a run: an observer's wake, or the app.
    public struct Request: Sendable, Hashable {
        /// Tells requests apart; never used twice.
        public let id: Int
        /// The types that changed; nil for all.
        public let types: Set<String>?
        /// Whether the phone saves power: then no history is read.
        public let isLowPower: Bool

        /// Makes a request of its parts.
        public init(id: Int, types: Set<String>? = nil, isLowPower: Bool = false) {
            self.id = id
            self.types = types
            self.isLowPower = isLowPower
        }
    }

    /// What a run knows of a stream when it begins.
    public struct Standing: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// Whether history is left.
        public var hasHistory: Bool
        /// Whether something that was set aside is to be offered again.
        public var hasDue: Bool
        /// The failures of its store.
        public var hold: HealthStoreHold?
        /// Why the stream cannot be worked on; nil where it can.
        public var failure: String?

        /// Makes a standing of its parts.
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

        /// The standing that a state means.
        ///
        /// - Parameter lookBack: history goes back so many seconds; nil takes all of it.
        public init(_ stream: HealthStream, _ state: HealthStreamState, version: String, lookBack: Double?) {
            let limit = state.historyLimit(lookBack: lookBack)
            self.init(
                stream,
                hasHistory: state.began == nil || !state.history.isDone(to: limit)
                    || state.quarantine.reopensHistory(for: version),
                hasDue: state.quarantine.isDue(for: version), hold: state.hold)
        }
    }

    /// An event that the turns are told.
    public enum Event: Sendable, Hashable {
        /// Somebody asks for a run.
        case asked(Request)
        /// An observer failed and waits for its completion handler; the stable code says why.
        case observerFailed(id: Int, code: String)
        /// Whoever asked does not wait any longer.
        case abandoned(Int)
        /// Somebody asks to forget streams; the answer comes as that of a run.
        case resetAsked(id: Int, [HealthStream])
        /// The streams were forgotten, or not: the stable code says why.
        case forgot(code: String?)
        /// The streams as they stand, the time, and a random number in 0..<1.
        case began([Standing], now: Double, random: Double)
        /// A step ended.
        case stepped(HealthStepReport)
        /// As much waits in the store; nil where it cannot say.
        case backlog(Int?)
        /// The time that ``Effect/startClock(run:)`` began is over.
        case timeOver(run: Int)
        /// Observers shall run for these types.
        case start([String])
        /// No observer shall run, and nothing more be done. What is kept stays.
        case stop
    }

    /// The effect of an event.
    public enum Effect: Sendable, Hashable {
        /// Tell ``Event/began(_:now:random:)``.
        case gather
        /// Do this work on this stream, and tell ``Event/stepped(_:)``.
        case step(HealthStream, HealthStreamStep.Work, HealthRoom)
        /// Let the step come to its end soon: cancel what it waits for.
        case cancelStep
        /// Ask the store how much waits in it, and tell ``Event/backlog(_:)``.
        case askBacklog(store: String)
        /// Forget what is kept of the streams, and tell ``Event/forgot(code:)``.
        case forget([HealthStream])
        /// Tell ``Event/timeOver(run:)`` when the time of a wake is over.
        case startClock(run: Int)
        /// Call the completion handlers of those who asked, each once, and tell them.
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
        /// Those who asked were answered; the step is not at its end.
        case winding
    }

    let limits: HealthSyncLimits
    var phase = Phase.idle
    var isStopped = false
    var isObserving = false
    /// Those whose run it is.
    var current: [Request] = []
    /// Those who wait for the next.
    var waiting: [Request] = []
    /// Streams to forget before the next run, and who asked for it.
    var resets: [(id: Int, streams: [HealthStream])] = []
    var resetting: [Int] = []
    var run = HealthRun()
    /// The number of the run, or of those who wait for one that winds down: a clock of an earlier one says nothing.
    var clock = 0
    /// Streams that had changes left when the last run ended.
    var unfinished: Set<HealthStream> = []

    /// Turns that nobody asked for yet.
    public init(limits: HealthSyncLimits = HealthSyncLimits()) { self.limits = limits }
}

/// The bounds of the work of one wake.
public struct HealthSyncLimits: Sendable, Hashable {
    /// Seconds: the system gives a wake in the background some thirty.
    public var seconds: Double
    /// Samples and deletions.
    public var samples: Int
    /// Bytes of JSON.
    public var bytes: Int
    /// As many samples are read, and given to a store, at once.
    public var batch: Int
    /// The bound of the first wait after a failure in seconds; each later one is twice as long.
    public var firstDelay: Double
    /// The longest bound in seconds.
    public var longestDelay: Double

    /// Fifteen seconds, two thousand samples, a megabyte. What is less than one counts as one, as no bound would mean for ever;
    /// a wake takes a day at most.
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

/// One run over the streams.
struct HealthRun: Sendable {
    var room = HealthRoom(samples: 1, bytes: 1)
    /// The streams whose changes are to be read, those whose quarantine, those whose history, each in order.
    var changes: [HealthStream] = []
    var due: [HealthStream] = []
    var history: [HealthStream] = []
    /// Stores that keep what they get, and for how long.
    var held: [String: (failures: Int, retryAfter: Double)] = [:]
    /// Stores in which something waits.
    var crowded: Set<String> = []
    var isLocked = false
    var isLowPower = false
    /// Streams whose history is left; it counts as more also where it is not read in this run.
    var hasHistory: Set<HealthStream> = []
    var report = HealthSyncReport()
}
