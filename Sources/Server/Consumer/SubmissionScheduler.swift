import Storage
import Submissions

/// Scheduler of device queues: the submissions of one device queue run in order, those of several device queues
/// concurrently, small ones first. A device queue that was served waits until the others were served.
struct SubmissionScheduler {
    /// Maximum number of device queues that are processed concurrently.
    let maximumConcurrent: Int
    /// Number of processed submissions.
    private(set) var handled = 0
    /// Device queues that were served in this round, including those in progress, the latest one last. No further
    /// submissions of them are leased, because the reason for a deferral in a device queue must be known first.
    private(set) var rested: [String] = []
    private var running: Set<String> = []
    private var waiting: [Batch] = []

    /// Submissions of one device queue that are processed in sequence.
    private struct Batch {
        var submissions: [QueuedSubmission]
        var bytes: Int
        /// Number of smaller batches that were started first.
        var passed = 0
    }

    /// Maximum number of smaller batches that are started before a waiting one.
    static let maximumPassed = 4

    init(maximumConcurrent: Int) { self.maximumConcurrent = maximumConcurrent }

    /// Whether nothing is in progress.
    var isIdle: Bool { running.isEmpty }

    /// Whether leased submissions are waiting.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Whether another device queue can be processed and no leased one is waiting.
    var wantsMore: Bool { running.count < maximumConcurrent && waiting.isEmpty }

    /// Adds leased submissions in the order of arrival. Their device queues must not be in progress or waiting.
    mutating func add(_ leased: [QueuedSubmission]) {
        var indices: [String: Int] = [:]
        for submission in leased {
            if let index = indices[submission.enrolmentID] {
                waiting[index].submissions.append(submission)
                waiting[index].bytes += submission.body.count
            } else {
                indices[submission.enrolmentID] = waiting.count
                waiting.append(Batch(submissions: [submission], bytes: submission.body.count))
            }
        }
    }

    /// Returns the submissions of a device queue to start; nil if the maximum is reached or nothing waits.
    mutating func start() -> [QueuedSubmission]? {
        guard running.count < maximumConcurrent, !waiting.isEmpty else { return nil }
        let next =
            waiting.firstIndex { $0.passed >= Self.maximumPassed }
            ?? waiting.indices.min { waiting[$0].bytes < waiting[$1].bytes } ?? 0
        let batch = waiting.remove(at: next)
        for index in waiting.indices.prefix(next) { waiting[index].passed += 1 }
        if let enrolmentID = batch.submissions.first?.enrolmentID {
            running.insert(enrolmentID)
            rest(enrolmentID)
        }
        return batch.submissions
    }

    private mutating func rest(_ enrolmentID: String) {
        rested.removeAll { $0 == enrolmentID }
        rested.append(enrolmentID)
        guard rested.count > SQLSubmissionQueue.maximumPassedOver,
            let first = rested.firstIndex(where: { !running.contains($0) })
        else { return }
        rested.remove(at: first)
    }

    /// Whether there are served device queues that are not in progress.
    var mayBeginRound: Bool { rested.contains { !running.contains($0) } }

    /// Begins another round, when no other device queue has submissions.
    mutating func beginRound() { rested.removeAll { !running.contains($0) } }

    /// Records that the processing of a device queue has ended.
    mutating func ended(_ enrolmentID: String, handled count: Int) {
        running.remove(enrolmentID)
        handled += count
    }
}
