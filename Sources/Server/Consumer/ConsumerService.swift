import Core
import Foundation
import Logging
import ServiceLifecycle
import Storage
import Submissions

/// Leases and processes submissions until it is stopped: several devices concurrently, the submissions of one device in
/// order.
///
/// For stores in files there is only one consumer: a second one waits until the first has ended. On database servers,
/// several consumers run concurrently, also on several hosts. The holder of a device queue's leases processes it alone
/// while it is alive; a consumer whose lease was lost finds the submissions already settled. A submission that fails
/// for a temporary reason keeps its position and is tried again with growing delays. After the maximum number of
/// attempts it is quarantined, so that later ones continue.
package struct ConsumerService: Service {
    let queue: any SubmissionQueue
    let processor: SubmissionProcessor
    let logger: Logger
    let clock: @Sendable () -> Date
    /// Owner of the leases: host, process id and a random nonce, so that it is unique.
    let owner: String
    let concurrency: ConsumerConcurrency
    /// An element whenever a submission may have arrived; nil if the queue must be polled.
    let arrivals: AsyncStream<Void>?
    /// Called after progress, or when the queue is empty.
    let progress: @Sendable () -> Void

    /// Maximum number of temporary failures of a submission.
    static let maximumAttempts = 8
    static let leaseDuration: TimeInterval = 120
    /// Maximum submissions per lease, and maximum device queues that are processed concurrently.
    static let batchSize = 16
    static let maximumDeviceQueues = 4
    /// Number of batches of a device queue that are prepared while one is recorded.
    static let batchesAhead = 2

    package init(
        queue: any SubmissionQueue, processor: SubmissionProcessor, logger: Logger, owner: String? = nil,
        concurrency: ConsumerConcurrency, arrivals: AsyncStream<Void>? = nil, clock: @escaping @Sendable () -> Date,
        progress: @escaping @Sendable () -> Void = {}
    ) {
        self.owner = owner ?? LeaseOwner.ofThisProcess().description
        self.queue = queue
        self.processor = processor
        self.logger = logger
        self.concurrency = concurrency
        self.arrivals = arrivals
        self.clock = clock
        self.progress = progress
    }

    package func run() async throws {
        var held: StoreLock?
        if case .alone(let lock) = concurrency {
            held = try await wait(for: lock)
            guard held != nil else { return }
        }
        defer { withExtendedLifetime(held) {} }
        let signal = ArrivalSignal()
        let listening = arrivals.map { arrivals in
            Task { for await _ in arrivals { await signal.send() } }
        }
        defer { listening?.cancel() }
        // With notifications, polling is slow; it is still needed for submissions that become due or are released.
        var idleBackoff =
            arrivals == nil
            ? ExponentialBackoff<Duration>()
            : ExponentialBackoff<Duration>(first: .milliseconds(500), longest: .seconds(1))
        // The limit of the delay is short, so that processing continues soon after a problem is solved.
        var errorBackoff = ExponentialBackoff<Duration>(first: .milliseconds(200), longest: .seconds(5))
        var isPrepared = false
        var keys = await processor.openers.generation
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                if !isPrepared {
                    try await takeOver(isAlone: held != nil)
                    isPrepared = true
                }
                try await releaseDue(&keys)
                let handled = try await drain()
                errorBackoff.reset()
                progress()
                if handled > 0 { idleBackoff.reset() } else { await idleBackoff.wait(for: signal) }
            } catch is CancellationError {
                break
            } catch {
                logger.error("consumer", metadata: Self.metadata(of: error))
                await errorBackoff.wait()
            }
        }
        // Give back leased submissions that were not begun, so that another process can lease them immediately.
        try? await queue.giveBack(owner: owner)
    }

    private func wait(for lock: @Sendable () throws -> StoreLock?) async throws -> StoreLock? {
        var backoff = ExponentialBackoff<Duration>(first: .milliseconds(100), longest: .seconds(1))
        var hasLogged = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            if let held = try lock() { return held }
            if !hasLogged { logger.notice("another consumer has the records; this one waits until it ends") }
            hasLogged = true
            await backoff.wait()
        }
        return nil
    }

    /// Takes over the leases of earlier consumers. A consumer that runs alone takes all of them, and submissions that
    /// were begun stay counted as begun. Others may be alive, so their leases are ended only if they were dead
    /// processes of this host; leases of dead processes on other hosts expire.
    private func takeOver(isAlone: Bool) async throws {
        if isAlone { return try await queue.takeOverLeases(owner: owner) }
        for other in try await queue.leaseOwners() where other != owner && LeaseOwner(other)?.isGone ?? false {
            try await queue.endLeases(of: other)
        }
    }

    /// Releases the submissions that were held for a time or for a key.
    private func releaseDue(_ keys: inout Int) async throws {
        let now = clock()
        try await queue.release(.due(now), at: now)
        _ = try? await processor.openers.opener()
        let generation = await processor.openers.generation
        if generation != keys {
            try await queue.release(.reason("key-unknown"), at: now)
            keys = generation
        }
    }

    /// Processes the submissions in the queue, including those that arrive meanwhile.
    ///
    /// A device with a large message delays no other: as soon as one more device can be processed, waiting submissions
    /// are leased.
    ///
    /// - Returns: the number of processed submissions.
    package func drain() async throws -> Int {
        let (handled, failure) = await withTaskGroup(of: Event.self) { group in
            var scheduler = SubmissionScheduler(maximumConcurrent: Self.maximumDeviceQueues)
            var failure: (any Error)?
            var isPolling = false
            var isRenewing = false
            var backoff = ExponentialBackoff<Duration>()
            while true {
                // 1. Start leased submissions; lease more from the queue.
                if failure == nil, mayBegin, scheduler.wantsMore {
                    do {
                        let leased = try await lease(for: &scheduler)
                        scheduler.add(leased)
                        if !leased.isEmpty { backoff.reset() }
                    } catch { failure = error }
                }
                while failure == nil, mayBegin, let submissions = scheduler.start() {
                    group.addTask {
                        await .ended(enrolmentID: submissions[0].enrolmentID, handle(deviceQueue: submissions))
                    }
                }
                // 2. End when nothing is in progress and nothing can be started.
                guard !scheduler.isIdle else { break }
                // Renew the leases of long processing; a dead or blocked process does not renew them.
                if !isRenewing {
                    isRenewing = true
                    group.addTask {
                        try? await Task.sleep(for: .seconds(Self.leaseDuration / 4))
                        return .due
                    }
                }
                // 3. While another device can be processed, poll the queue again before the longest message has ended.
                if failure == nil, scheduler.wantsMore, !isPolling {
                    isPolling = true
                    let duration = backoff.nextDelay()
                    group.addTask {
                        try? await Task.sleep(for: duration)
                        return .polled
                    }
                }
                switch await group.next() {
                case .ended(let enrolmentID, (let handled, let error)):
                    scheduler.ended(enrolmentID, handled: handled)
                    failure = failure ?? error
                    if error == nil { progress() }
                case .polled: isPolling = false
                case .due:
                    isRenewing = false
                    do { try await queue.renew(owner: owner, duration: Self.leaseDuration, now: clock()) } catch {
                        failure = failure ?? error
                    }
                case nil: break
                }
            }
            // Do not wait for a running delay.
            group.cancelAll()
            // Leased submissions that were not begun must not count as begun.
            if scheduler.hasWaiting { try? await queue.giveBack(owner: owner) }
            return (scheduler.handled, failure)
        }
        if let failure { throw failure }
        return handled
    }

    private var mayBegin: Bool { !Task.isShuttingDownGracefully && !Task.isCancelled }

    /// Leases from device queues that were not served in this round; if none of them waits, the next round begins.
    private func lease(for scheduler: inout SubmissionScheduler) async throws -> [QueuedSubmission] {
        while true {
            let leased = try await queue.lease(
                owner: owner, limit: Self.batchSize, duration: Self.leaseDuration, now: clock(),
                isIdle: scheduler.isIdle,
                passingOver: scheduler.rested)
            guard leased.isEmpty, scheduler.mayBeginRound else { return leased }
            scheduler.beginRound()
        }
    }

    private enum Event: Sendable {
        case ended(enrolmentID: String, (handled: Int, (any Error)?))
        case polled
        /// The leases must be renewed.
        case due
    }

    /// A store's errors contain names of tables and never a value.
    static func metadata(of error: any Error) -> Logger.Metadata {
        let detail: Logger.Metadata = (error as? StorageError).map { ["detail": "\($0.message)"] } ?? [:]
        return detail.merging(["code": "\(code(of: error))"]) { $1 }
    }

    static func code(of error: any Error) -> String {
        (error as? any CodedError)?.code ?? "unexpected-\(type(of: error))"
    }
}

/// Waits that end immediately when the service is stopped.
extension ExponentialBackoff<Duration> {
    /// Creates the delays while nothing happens.
    init() { self.init(first: .milliseconds(10), longest: .milliseconds(200)) }

    /// Waits until the delay is over or the signal arrives.
    mutating func wait(for signal: ArrivalSignal) async {
        let duration = nextDelay()
        if await cancelWhenGracefulShutdown({ await signal.wait(upTo: duration) }) { reset() }
    }

    /// Waits until the delay is over.
    mutating func wait() async {
        let duration = nextDelay()
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
    }
}
