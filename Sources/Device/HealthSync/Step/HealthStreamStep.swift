import Foundation

/// The rules that send one batch of one stream to its store, without a clock, a disk or a network: each event changes
/// the state and returns the next effect.
///
/// ```
/// positioning ─► saving ─┐ a stream that begins
///                        ▼
///          reading ─► looking ─► recording ─► deleting ─► forgetting ─► fetching ─► adding ─► updating ─┐
///                      up in the index     │     ▲           the next round, while the budget lasts     │
///                                          │     └──────────────────────────────────────────────────────┤
///                                          └► (a store that defers the batch ends the step) ─► saving ─► finished
/// ```
/// Phases without work are skipped: a batch without deletions has no lookup. A sample is settled when its outcome is
/// final: stored, refused or declined. The order makes a crash between any two effects harmless:
///
/// - The index records a sample before the store receives it, so that a later deletion is resolved however far the
///   sample came.
/// - The index removes a sample after the store has deleted it. Both effects can be repeated.
/// - The anchor is saved last. Work after the saved anchor is repeated with the same result, so several steps may be
///   saved together.
public struct HealthStreamStep: Sendable {
    /// The kinds of work on a stream.
    public enum Work: String, Sendable, Hashable, CaseIterable {
        /// The samples that were added and deleted after the anchor.
        case changes
        /// The samples that were quarantined with another version of the table or the app.
        case quarantine
        /// The samples from before the stream began.
        case history
    }

    /// The inputs of a step other than the state.
    public struct Options: Sendable, Hashable {
        /// The work to do.
        public var work: Work
        /// The budget that is left of the wake.
        public var budget: WakeBudget
        /// Maximum number of samples that are read at once; at least one.
        public var batch: Int
        /// The current time, in seconds since 1970.
        public var now: Double
        /// The version of the table of types and of the app.
        public var version: String
        /// Seconds that the history goes back from the beginning of the stream; nil takes all of it.
        public var lookBack: Double?
        /// The identity of resources in the store.
        public var identity: StoreIdentity
        /// Whether the store finds unknown samples by itself.
        public var findsUnknown: Bool
        /// Whether the initial state is durable already.
        public var isSaved: Bool
        /// Whether a step that leaves more work may leave its state to be saved by a later step.
        public var savesLater: Bool

        /// Creates options.
        public init(
            _ work: Work, budget: WakeBudget, batch: Int, now: Double, version: String = "", lookBack: Double? = nil,
            identity: StoreIdentity = .content, findsUnknown: Bool = false, isSaved: Bool = true,
            savesLater: Bool = false
        ) {
            self.work = work
            self.budget = budget
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

    /// An event that the step handles.
    public enum Event: Sendable, Hashable {
        /// The anchor after all present data of the source; nil if there is no such anchor.
        case positioned(HealthAnchor?)
        /// A batch was read.
        case batch(SampleBatch)
        /// The source could not be read because the phone is locked.
        case locked
        /// The source failed.
        case sourceFailed(code: String)
        /// The index entries of the samples; samples without an entry are left out.
        case known([UUID: IndexedSample])
        /// The answers of the store or the app for the samples. Samples without an answer are deferred.
        case answered(StoreAnswers<HealthOutcome>)
        /// The samples that the store has already, and outcomes of others.
        case fetched(present: Set<UUID>, [UUID: HealthOutcome])
        /// The effect is complete and durable.
        case done
        /// The state or the index could not be read or written.
        case storageFailed(code: String)
    }

    /// The effect of an event: the next operation to perform.
    public enum Effect: Sendable, Hashable {
        /// Get the anchor after all present data of the source.
        case position
        /// Read the changes after an anchor.
        case readChanges(after: HealthAnchor?, limit: Int)
        /// Read samples that end at `upTo` or before and at `since` or later, the latest end first.
        case readHistory(since: Double?, upTo: Double?, limit: Int)
        /// Read these samples.
        case readAgain([UUID])
        /// Look samples up in the index.
        case lookUp([UUID])
        /// Durably record the resources of samples in the index.
        case record([IndexEntry])
        /// Delete samples in the store. A sample that is not in the index has nil.
        case delete([UUID: HealthTarget?])
        /// Durably remove samples from the index.
        case forget([UUID])
        /// Ask the store which of the samples it has.
        case fetch([UUID])
        /// Add samples to the store.
        case add([UUID])
        /// Change samples in the store.
        case update([UUID])
        /// Durably save the state.
        case save(HealthStreamState)
        /// The step is finished.
        case finish(HealthStepReport)
    }

    enum Phase: Sendable, Hashable {
        case ready, positioning
        case reading(limit: Int)
        case looking, recording, deleting, forgetting, fetching, adding, updating
        case saving(isBeginning: Bool)
        case finished
    }

    /// The stream.
    public let stream: HealthStream
    let options: Options
    /// The state at the start of the step, or the last one that was saved or left to a later step.
    var saved: HealthStreamState
    var state: HealthStreamState
    var phase = Phase.ready
    var budget: WakeBudget
    var batch = BatchProgress()
    var report: HealthStepReport

    /// Creates a step that has not begun: see ``begin()``.
    public init(_ stream: HealthStream, state: HealthStreamState, options: Options) {
        self.stream = stream
        self.options = options
        saved = state
        self.state = state
        budget = options.budget
        report = HealthStepReport(stream: stream, work: options.work, state: state, isSaved: options.isSaved)
    }
}

/// The result of a step.
public struct HealthStepReport: Sendable, Hashable {
    /// The reason that a step ended.
    public enum Ending: Sendable, Hashable {
        /// There is nothing left to do.
        case idle
        /// More work and budget are left.
        case more
        /// More work is left, and the budget is used up.
        case full
        /// The store deferred some of the samples.
        case held(code: String, retryAfter: Double?)
        /// The source cannot be read while the phone is locked.
        case locked
        /// The stream is stopped by an error with this stable code.
        case failed(code: String)
    }

    /// The stream.
    public let stream: HealthStream
    /// The work that was done.
    public let work: HealthStreamStep.Work
    /// The state after the step.
    public internal(set) var state: HealthStreamState
    /// Whether the state is durable. Work after the durable state would be repeated with the same result.
    public internal(set) var isSaved: Bool
    /// Samples that the store stored and did not have before.
    public internal(set) var added = 0
    /// Samples that the store stored and had before.
    public internal(set) var updated = 0
    /// Deleted samples. Their resources are deleted in the store, unless another sample is the same resource.
    public internal(set) var deleted = 0
    /// Samples that were quarantined.
    public internal(set) var quarantined = 0
    /// Samples that the app declined, or that the study does not ask for.
    public internal(set) var declined = 0
    /// Samples of the batch that are not settled.
    public internal(set) var waiting = 0
    /// Whether history is left. A stream whose source has no anchor after its present data begins without history.
    public internal(set) var hasHistory = true
    /// The work of the step, in samples and deletions.
    public internal(set) var samples = 0
    /// The work of the step, in bytes.
    public internal(set) var bytes = 0
    /// The reason that the step ended.
    public internal(set) var ending = Ending.idle

    /// Creates a report; by default that of a step that did nothing.
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

/// The identity of resources in a store.
public enum StoreIdentity: Sendable, Hashable {
    /// The content: samples of equal content are one resource, which is deleted with the last of them.
    case content
    /// The sample: each sample is its own resource.
    case sample
}
