import Foundation

/// The rules by which one portion of one stream goes to its store, without a clock, a disk or a network: each event
/// changes the state and yields the one thing to do next.
///
/// ```
/// positioning ─► saving ─┐ a stream that begins
///                        ▼
///            reading ─► looking ─► noting ─► deleting ─► forgetting ─► fetching ─► adding ─► updating ─┐
///                        up in the index   │    ▲            what a round leaves, while there is room  │
///                                          │    └──────────────────────────────────────────────────────┤
///                                          └► (a store that keeps the batch ends the step) ─► saving ─► finished
/// ```
/// What is not called for is left out: a portion without deletions looks nothing up. The order makes a crash between any
/// two effects harmless:
///
/// - The index names a sample before the store gets it, so that its deletion is understood however far it came.
/// - It forgets a sample after the store has deleted it. Both may be done twice.
/// - The anchor is saved last. What was done behind the saved one is done again, to the same end. So several steps may be saved
///   together.
public struct HealthStreamStep: Sendable {
    /// The kinds of work on a stream.
    public enum Work: String, Sendable, Hashable, CaseIterable {
        /// What was added and deleted since the anchor.
        case changes
        /// What was set aside with another version of the table or the app.
        case quarantine
        /// What was there before the stream began.
        case history
    }

    /// What decides about a step besides the state.
    public struct Options: Sendable, Hashable {
        /// The work to do.
        public var work: Work
        /// The work that is left of the wake.
        public var room: HealthRoom
        /// As many samples are read at once, at least one.
        public var batch: Int
        /// The present, in seconds since 1970.
        public var now: Double
        /// The version of the table of types and of the app.
        public var version: String
        /// History goes back so many seconds from the beginning; nil takes all of it.
        public var lookBack: Double?
        /// What the store takes for one thing.
        public var identity: StoreIdentity
        /// Whether the store finds by itself what an unknown sample was.
        public var findsUnknown: Bool
        /// Whether the state that the step begins with is durable already.
        public var isSaved: Bool
        /// Whether a step that leaves more may leave its state to be saved by one that follows.
        public var savesLater: Bool

        /// Makes options of their parts.
        public init(
            _ work: Work, room: HealthRoom, batch: Int, now: Double, version: String = "", lookBack: Double? = nil,
            identity: StoreIdentity = .content, findsUnknown: Bool = false, isSaved: Bool = true,
            savesLater: Bool = false
        ) {
            self.work = work
            self.room = room
            self.batch = max(batch, 1)
            self.now = now
            self.version = version
            self.lookBack = lookBack
            self.identity = identity
            self.findsUnknown = findsUnknown
            self.isSaved = isSaved
            self.savesLater = savesLater
        }
    }

    /// An event that the step is told.
    public enum Event: Sendable, Hashable {
        /// The place behind everything that the source has now; nil where it has no such place.
        case positioned(HealthAnchor?)
        /// What was read.
        case portion(HealthPortion)
        /// The source could not be read: the person locked the phone.
        case locked
        /// The source failed.
        case sourceFailed(code: String)
        /// What the index knows of the samples; those that it does not know are left out.
        case known([UUID: IndexedSample])
        /// The store or the app answered for each sample. Those that nobody spoke of are kept.
        case answered(StoreAnswers<HealthOutcome>)
        /// Which of the samples the store has already, and what is settled of the others.
        case fetched(present: Set<UUID>, [UUID: HealthOutcome])
        /// It is durable.
        case done
        /// What is kept could not be read or written.
        case storageFailed(code: String)
    }

    /// The effect of an event: the next thing to do.
    public enum Effect: Sendable, Hashable {
        /// Find the place behind everything that the source has now.
        case position
        /// Read what changed since an anchor.
        case readChanges(after: HealthAnchor?, limit: Int)
        /// Read samples that end at `upTo` or before and at `since` or later, the latest end first.
        case readHistory(since: Double?, upTo: Double?, limit: Int)
        /// Read these samples.
        case readAgain([UUID])
        /// Look samples up in the index.
        case lookUp([UUID])
        /// Durably note in the index what samples are.
        case note([HealthNote])
        /// Delete samples in the store. Nil stands for one that the index does not know.
        case delete([UUID: HealthTarget?])
        /// Durably forget samples in the index.
        case forget([UUID])
        /// Ask the store which of the samples it has.
        case fetch([UUID])
        /// Add samples to the store.
        case add([UUID])
        /// Change samples in the store.
        case update([UUID])
        /// Durably save the state.
        case save(HealthStreamState)
        /// Nothing more to do.
        case finish(HealthStepReport)
    }

    enum Phase: Sendable, Hashable {
        case ready, positioning
        case reading(limit: Int)
        case looking, noting, deleting, forgetting, fetching, adding, updating
        case saving(isBeginning: Bool)
        case finished
    }

    /// The stream.
    public let stream: HealthStream
    let options: Options
    /// The state as it stands before the step, and after what was saved.
    var saved: HealthStreamState
    var state: HealthStreamState
    var phase = Phase.ready
    var room: HealthRoom
    var portion = PortionProgress()
    var report: HealthStepReport

    /// A step that has not begun: see ``begin()``.
    public init(_ stream: HealthStream, _ state: HealthStreamState, _ options: Options) {
        self.stream = stream
        self.options = options
        saved = state
        self.state = state
        room = options.room
        report = HealthStepReport(stream: stream, work: options.work, state: state, isSaved: options.isSaved)
    }
}

/// What came of a step.
public struct HealthStepReport: Sendable, Hashable {
    /// The way a step ends.
    public enum Ending: Sendable, Hashable {
        /// There is nothing left to do.
        case idle
        /// There is more, and room for it.
        case more
        /// There is more, and no room for it.
        case full
        /// The store keeps some of it for later.
        case held(code: String, retryAfter: Double?)
        /// The source cannot be read while the phone is locked.
        case locked
        /// The stream stands; the stable code says why.
        case failed(code: String)
    }

    /// The stream.
    public let stream: HealthStream
    /// The work that was done.
    public let work: HealthStreamStep.Work
    /// The state as it stands now.
    public internal(set) var state: HealthStreamState
    /// Whether it is durable. What was done behind the durable one would be done again, to the same end.
    public internal(set) var isSaved: Bool
    /// Samples that the store took and did not have.
    public internal(set) var added = 0
    /// Samples that the store took and had.
    public internal(set) var updated = 0
    /// Samples that are deleted; the store has their resources no more, unless another sample is the same.
    public internal(set) var deleted = 0
    /// Samples that were set aside.
    public internal(set) var quarantined = 0
    /// Samples that the app said no to, or the study does not ask for.
    public internal(set) var declined = 0
    /// Samples of the portion that are not settled.
    public internal(set) var waiting = 0
    /// Whether history is left: a stream of a source without a place behind what it has begins with none.
    public internal(set) var hasHistory = true
    /// The work that it was, in samples and deletions.
    public internal(set) var samples = 0
    /// The work that it was, in bytes.
    public internal(set) var bytes = 0
    /// The way it ended.
    public internal(set) var ending = Ending.idle

    /// Makes a report, of a step that did nothing unless it says else.
    public init(
        stream: HealthStream, work: HealthStreamStep.Work, state: HealthStreamState, samples: Int = 0, bytes: Int = 0,
        ending: Ending = .idle, isSaved: Bool = true
    ) {
        self.stream = stream
        self.work = work
        self.state = state
        self.samples = samples
        self.bytes = bytes
        self.ending = ending
        self.isSaved = isSaved
    }
}

/// What a store takes for one thing.
public enum StoreIdentity: Sendable, Hashable {
    /// The content: samples of equal content are one resource, which goes with the last of them.
    case content
    /// The sample: each one is there for itself.
    case sample
}
