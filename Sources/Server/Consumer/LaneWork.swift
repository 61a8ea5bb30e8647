import Storage

/// Which lanes are handled and which wait for a place: the submissions of one lane (a device) in their order, those of
/// several lanes beside each other, small ones first. A lane that had its turn waits until the others had theirs.
struct LaneWork {
    /// How many lanes are handled at a time.
    let places: Int
    /// How many submissions were handled.
    private(set) var handled = 0
    /// The lanes that had a turn in this round, those that have it now among them, the last one last. Nothing of them is
    /// leased: what was put off in a lane waits until it is known why.
    private(set) var rested: [String] = []
    private var running: Set<String> = []
    private var waiting: [Turn] = []

    /// The submissions of one lane that are handled one after the other.
    private struct Turn {
        var submissions: [QueuedSubmission]
        var bytes: Int
        /// How often a smaller one went first.
        var passed = 0
    }

    /// So often smaller turns go before one that waits.
    static let mostPassed = 4

    init(places: Int) { self.places = places }

    /// Whether nothing is handled.
    var isIdle: Bool { running.isEmpty }

    /// Whether something was leased and not begun.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether there is a place and nothing that is leased to take it.
    var wantsMore: Bool { running.count < places && waiting.isEmpty }

    /// Takes what was leased, in the order of arrival. The lanes are others than those that are handled or wait.
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

    /// The submissions of a lane to begin with; nil where there is no place or nothing waits.
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

    /// Whether lanes rest that may have another turn.
    var mayBeginRound: Bool { rested.contains { !running.contains($0) } }

    /// Begins another round: no other lane waits.
    mutating func beginRound() { rested.removeAll { !running.contains($0) } }

    /// Notes that a lane's turn is over.
    mutating func ended(_ lane: String, handled count: Int) {
        running.remove(lane)
        handled += count
    }
}
