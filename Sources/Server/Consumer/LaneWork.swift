import Storage

/// Which lanes are handled and which wait for a place: the submissions of one lane (a device) in their order, those of
/// several lanes beside each other.
struct LaneWork {
    /// How many lanes are handled at a time.
    let places: Int
    /// How many submissions were handled.
    private(set) var handled = 0
    private var running = 0
    private var waiting: [[QueuedSubmission]] = []

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
                waiting[place].append(submission)
            } else {
                places[submission.lane] = waiting.count
                waiting.append([submission])
            }
        }
    }

    /// The submissions of a lane to begin with; nil where there is no place or nothing waits.
    mutating func start() -> [QueuedSubmission]? {
        guard running < places, !waiting.isEmpty else { return nil }
        running += 1
        return waiting.removeFirst()
    }

    mutating func ended(handled count: Int) {
        running -= 1
        handled += count
    }
}
