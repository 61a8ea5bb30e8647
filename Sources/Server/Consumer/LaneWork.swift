import Storage

/// Which lanes are handled and which wait for a place: the submissions of one lane (a device) in their order, those of
/// several lanes beside each other, small ones first. A lane that had its turn waits until the others had theirs.
struct LaneWork {
    /// How many lanes are handled at a time.
    let places: Int
    /// How many submissions were handled.
    private(set) var handled = 0
    /// The lanes that had a turn in this round, the last one last.
    private(set) var rested: [String] = []
    private var running = 0
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
    var isIdle: Bool { running == 0 }

    /// Whether something was leased and not begun.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether there is a place and nothing that is leased to take it.
    var wantsMore: Bool { running < places && waiting.isEmpty }

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
        guard running < places, !waiting.isEmpty else { return nil }
        let next =
            waiting.firstIndex { $0.passed >= Self.mostPassed }
            ?? waiting.indices.min { waiting[$0].bytes < waiting[$1].bytes } ?? 0
        running += 1
        let turn = waiting.remove(at: next)
        for place in waiting.indices.prefix(next) { waiting[place].passed += 1 }
        rest(turn.submissions.first?.lane)
        return turn.submissions
    }

    private mutating func rest(_ lane: String?) {
        guard let lane else { return }
        rested.removeAll { $0 == lane }
        rested.append(lane)
        if rested.count > SQLSubmissionQueue.mostPassedOver { rested.removeFirst() }
    }

    /// Begins another round: no other lane waits.
    mutating func beginRound() { rested = [] }

    mutating func ended(handled count: Int) {
        running -= 1
        handled += count
    }
}
