import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Leases submissions and has them processed, one after the other, until it is told to stop.
///
/// A submission that fails for a passing reason keeps its place and is tried again with growing pauses; after too many
/// tries it is parked, so that what stands behind it goes on.
public struct ConsumerService: Service {
    let queue: any SubmissionQueue
    let database: any SQLDatabase
    let processor: SubmissionProcessor
    let logger: Logger
    let clock: @Sendable () -> Date
    /// Under this name submissions are leased. It stays the same when the process starts anew, so that what it had leased
    /// when it was killed goes on at once; two consumers of one database need two names.
    let owner: String

    /// How many passing failures a submission may have.
    static let maximumAttempts = 8
    static let leaseDuration: TimeInterval = 120

    public init(
        queue: any SubmissionQueue, database: any SQLDatabase, processor: SubmissionProcessor, logger: Logger,
        owner: String = "consumer", clock: @escaping @Sendable () -> Date
    ) {
        self.owner = owner
        self.queue = queue
        self.database = database
        self.processor = processor
        self.logger = logger
        self.clock = clock
    }

    public func run() async throws {
        var idle = Pause()
        var trouble = Pause(first: .milliseconds(200), longest: .seconds(30))
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                let handled = try await drain()
                trouble.reset()
                if handled > 0 { idle.reset() } else { await idle.wait() }
            } catch is CancellationError {
                return
            } catch {
                logger.error("consumer", metadata: ["code": "\(Self.code(of: error))"])
                await trouble.wait()
            }
        }
    }

    /// Handles what is in the queue now.
    ///
    /// - Returns: how many submissions were handled.
    public func drain() async throws -> Int {
        var handled = 0
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            let leased = try await queue.lease(
                owner: owner, limit: 16, duration: Self.leaseDuration, now: clock())
            guard !leased.isEmpty else { break }
            var failure: (any Error)?
            var failedLanes: Set<String> = []
            for submission in leased where !failedLanes.contains(submission.lane) {
                do {
                    try await handle(submission)
                    handled += 1
                } catch {
                    // What stands behind it of the same device waits; the other devices' submissions go on.
                    failedLanes.insert(submission.lane)
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        return handled
    }

    private func handle(_ submission: QueuedSubmission) async throws {
        do {
            let outcome = try await processor.process(submission)
            // What is parked waits for the staff, who should hear of it.
            logger.log(
                level: outcome.status == .parked ? .warning : .info, "submission",
                metadata: [
                    "submission": "\(submission.submissionID)", "client": "\(submission.clientID)",
                    "status": "\(outcome.status.rawValue)", "code": "\(outcome.reasonCode ?? "-")",
                ])
        } catch {
            let code = Self.code(of: error)
            logger.error(
                "submission failed", metadata: ["submission": "\(submission.submissionID)", "code": "\(code)"])
            let attempts = try await queue.failedAttempt(submission.number, at: clock())
            // A full disk is no fault of the submission, however long it lasts.
            guard attempts >= Self.maximumAttempts, code != "storage-full" else { throw error }
            let at = clock()
            let outcome = SubmissionOutcome(
                status: .parked, reasonCode: "processing-failed", detail: "Handling it failed again and again: \(code)."
            )
            try await database.write { transaction in
                try queue.settle(submission.number, as: outcome, at: at, in: transaction)
            }
        }
    }

    private static func code(of error: any Error) -> String {
        switch error {
        case let error as StorageError: error.code
        case let error as ConsumerError: error.code
        default: "unexpected-\(type(of: error))"
        }
    }
}

/// A pause that grows while nothing happens, and ends at once when the service is told to stop.
struct Pause {
    let first: Duration
    let longest: Duration
    private var next: Duration

    init(first: Duration = .milliseconds(10), longest: Duration = .milliseconds(200)) {
        self.first = first
        self.longest = longest
        next = first
    }

    mutating func reset() { next = first }

    mutating func wait() async {
        let duration = next
        next = min(next * 2, longest)
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
    }
}
