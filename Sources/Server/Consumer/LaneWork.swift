import Storage

/// Scheduler of device queues: the submissions of one device queue run in order, those of several device queues
/// concurrently, small ones first. A device queue that was served waits until the others were served.
struct LaneWork {
    /// Maximum number of device queues that are processed concurrently.
    let places: Int
    /// Number of processed submissions.
    private(set) var handled = 0
    /// Device queues that were served in this round, including those in progress, the latest one last. No further
    /// submissions of them are leased, because the reason for a deferral in a device queue must be known first.
    private(set) var rested: [String] = []
    private var running: Set<String> = []
    private var waiting: [Turn] = []

    /// Submissions of one device queue that are processed in sequence.
    private struct Turn {
        var submissions: [QueuedSubmission]
        var bytes: Int
        /// Number of smaller turns that were started first.
        var passed = 0
    }

    /// Maximum number of smaller turns that are started before a waiting one.
    static let mostPassed = 4

    init(places: Int) { self.places = places }

    /// Whether nothing is in progress.
    var isIdle: Bool { running.isEmpty }

    /// Whether leased submissions are waiting.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether another device queue can be processed and no leased one is waiting.
    var wantsMore: Bool { running.count < places && waiting.isEmpty }

    /// Adds leased submissions in the order of arrival. Their device queues must not be in progress or waiting.
    mutating func add(_ leased: [QueuedSubmission]) {
        var places: [String: Int] = [:]
        for submission in leased {
            if let place = places[submission.lane] {
                waiting[place].submissions.append(submission)
                waiting[place].bytes += submission.body.count
            } else {
                places[submission.lane] = waiting.count
                waiting.append(Turn(submissions: [submission], bytes: submission.body.count))
            }
        }
    }

    /// Returns the submissions of a device queue to start; nil if the maximum is reached or nothing waits.
    mutating func start() -> [QueuedSubmission]? {
        guard running.count < places, !waiting.isEmpty else { return nil }
        let next =
            waiting.firstIndex { $0.passed >= Self.mostPassed }
            ?? waiting.indices.min { waiting[$0].bytes < waiting[$1].bytes } ?? 0
        let turn = waiting.remove(at: next)
        for place in waiting.indices.prefix(next) { waiting[place].passed += 1 }
        if let lane = turn.submissions.first?.lane {
            running.insert(lane)
            rest(lane)
        }
        return turn.submissions
    }

    private mutating func rest(_ lane: String) {
        rested.removeAll { $0 == lane }
        rested.append(lane)
        guard rested.count > SQLSubmissionQueue.mostPassedOver,
            let first = rested.firstIndex(where: { !running.contains($0) })
        else { return }
        rested.remove(at: first)
    }

    /// Whether there are served device queues that are not in progress.
    var mayBeginRound: Bool { rested.contains { !running.contains($0) } }

    /// Begins another round, when no other device queue has submissions.
    mutating func beginRound() { rested.removeAll { !running.contains($0) } }

    /// Records that the processing of a device queue has ended.
    mutating func ended(_ lane: String, handled count: Int) {
        running.remove(lane)
        handled += count
    }
}
