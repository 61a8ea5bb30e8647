import Foundation
import Storage
import Submissions

/// Leases and settles all submissions of a queue in batches, as the consumer does, without opening them.
///
///     QueueSpeed URL BATCH
///
/// Prints one JSON object: the seconds without connecting, and the numbers of submissions and batches.
@main
struct QueueSpeed {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3, let batch = Int(words[2]) else { throw Misuse() }
        let database = try await Store(
            at: StoreLocation(words[1]), migrations: [], schema: .queue, permissions: (0o660, 0o2770)
        ).open()
        // Opens both kinds of connections before the time is measured.
        _ = try await database.read { try $0.first("SELECT 1 AS one") }
        _ = try await database.write { try $0.first("SELECT 1 AS one") }
        let queue = SQLSubmissionQueue(database: database, clock: .ofDatabase)
        var (submissions, batches) = (0, 0)
        let begin = ContinuousClock.now
        while true {
            let leased = try await queue.lease(owner: "bench", limit: batch, duration: 300, now: Date(), isIdle: true)
            guard !leased.isEmpty else { break }
            let settled = try await withThrowingTaskGroup(of: Bool.self) { group in
                for submission in leased {
                    group.addTask {
                        try await queue.settle(submission, as: SubmissionOutcome(status: .stored), at: Date())
                    }
                }
                var count = 0
                for try await isSettled in group where isSettled { count += 1 }
                return count
            }
            guard settled == leased.count else { throw LostLease() }
            submissions += settled
            batches += 1
        }
        let time = (ContinuousClock.now - begin).components
        let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
        try await database.close()
        print("{\"seconds\": \(seconds), \"submissions\": \(submissions), \"batches\": \(batches)}")
    }

    /// The command line's arguments are not valid.
    struct Misuse: Error {}

    /// A submission that was leased could not be settled.
    struct LostLease: Error {}
}
