import Core
import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Leases submissions and has them processed, those of several devices at a time and those of one in their order, until it
/// is told to stop.
///
/// Of stores that are files there is one consumer: a second one waits until the first has ended. On servers consumers work beside
/// each other, on several hosts: who leases a device's submissions has them alone as long as it lives, and one that comes too
/// late finds that they are settled. A submission that fails for a passing reason keeps its place and is tried again with growing pauses; after too many tries it is quarantined, so that what
/// stands behind it goes on.
public struct ConsumerService: Service {
    let queue: any SubmissionQueue
    let processor: SubmissionProcessor
    let logger: Logger
    let clock: @Sendable () -> Date
    /// Under this name submissions are leased: host, process and a random word, so that no two processes have the same.
    let owner: String
    let turn: ConsumerTurn
    /// An element whenever a submission may have come; nil where the queue has to be looked into.
    let arrivals: AsyncStream<Void>?
    /// Told when the consumer got something done or saw that there is nothing to do.
    let progress: @Sendable () -> Void

    /// How many passing failures a submission may have.
    static let maximumAttempts = 8
    static let leaseDuration: TimeInterval = 120
    /// So many submissions are leased at a time, of so many devices at most handled beside each other.
    static let batchSize = 16
    static let lanesAtATime = 4
    /// So many runs of a device's submissions are read while one of them is recorded.
    static let readAhead = 2

    public init(
        queue: any SubmissionQueue, processor: SubmissionProcessor, logger: Logger, owner: String? = nil,
        turn: ConsumerTurn, arrivals: AsyncStream<Void>? = nil, clock: @escaping @Sendable () -> Date,
        progress: @escaping @Sendable () -> Void = {}
    ) {
        self.owner = owner ?? LeaseOwner.ofThisProcess().description
        self.queue = queue
        self.processor = processor
        self.logger = logger
        self.turn = turn
        self.arrivals = arrivals
        self.clock = clock
        self.progress = progress
    }

    public func run() async throws {
        var held: StoreLock?
        if case .alone(let lock) = turn {
            held = try await wait(for: lock)
            guard held != nil else { return }
        }
        defer { withExtendedLifetime(held) {} }
        let bell = ArrivalBell()
        let listening = arrivals.map { arrivals in
            Task { for await _ in arrivals { await bell.ring() } }
        }
        defer { listening?.cancel() }
        // What is told of is waited for; what waits for its time, or is released, is looked for all the same.
        var idle = arrivals == nil ? Pause() : Pause(first: .milliseconds(500), longest: .seconds(1))
        // What was mended is gone on with soon, however long it lasted.
        var trouble = Pause(first: .milliseconds(200), longest: .seconds(5))
        var isPrepared = false
        var keys = await processor.openers.generation
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                if !isPrepared {
                    try await takeOver(isAlone: held != nil)
                    isPrepared = true
                }
                try await releaseWhatIsDue(&keys)
                let handled = try await drain()
                trouble.reset()
                progress()
                if handled > 0 { idle.reset() } else { await idle.wait(for: bell) }
            } catch is CancellationError {
                break
            } catch {
                logger.error("consumer", metadata: Self.metadata(of: error))
                await trouble.wait()
            }
        }
        // What was leased and not begun goes to the next process at once.
        try? await queue.giveBack(owner: owner)
    }

    private func wait(for lock: @Sendable () throws -> StoreLock?) async throws -> StoreLock? {
        var pause = Pause(first: .milliseconds(100), longest: .seconds(1))
        var hasSaid = false
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            if let held = try lock() { return held }
            if !hasSaid { logger.notice("another consumer has the records; this one waits until it ends") }
            hasSaid = true
            await pause.wait()
        }
        return nil
    }

    /// What an earlier consumer had leased is ours, and what it died over shows. Of others, which may live, that is so where
    /// they were processes of this host; what one died over elsewhere is leased anew when its time is over.
    private func takeOver(isAlone: Bool) async throws {
        if isAlone { return try await queue.takeOverLeases(owner: owner) }
        for other in try await queue.leaseOwners() where other != owner && LeaseOwner(other)?.isGone ?? false {
            try await queue.endLeases(of: other)
        }
    }

    /// Releases the submissions that waited for a time or for a key.
    private func releaseWhatIsDue(_ keys: inout Int) async throws {
        let now = clock()
        try await queue.release(.due(now), at: now)
        _ = try? await processor.openers.opener()
        let generation = await processor.openers.generation
        if generation != keys {
            try await queue.release(.reason("key-unknown"), at: now)
            keys = generation
        }
    }

    /// Handles what is in the queue now, and what comes while that is handled.
    ///
    /// A device whose message takes long holds up no other: as soon as there is a place for one more, what waits is leased.
    ///
    /// - Returns: how many submissions were handled.
    public func drain() async throws -> Int {
        let (handled, failure) = await withTaskGroup(of: Event.self) { group in
            var work = LaneWork(places: Self.lanesAtATime)
            var failure: (any Error)?
            var isLooking = false
            var isRenewing = false
            var pause = Pause()
            while true {
                // 1. What is leased and waits, else what the queue has.
                if failure == nil, mayBegin, work.wantsMore {
                    do {
                        let leased = try await lease(for: &work)
                        work.add(leased)
                        if !leased.isEmpty { pause.reset() }
                    } catch { failure = error }
                }
                while failure == nil, mayBegin, let lane = work.start() {
                    group.addTask { await .ended(lane: lane[0].lane, handle(lane: lane)) }
                }
                // 2. Nothing is handled, and nothing is there or may be begun.
                guard !work.isIdle else { break }
                // What takes long stays ours; whoever died or stands still does not ask for it.
                if !isRenewing {
                    isRenewing = true
                    group.addTask {
                        try? await Task.sleep(for: .seconds(Self.leaseDuration / 4))
                        return .due
                    }
                }
                // 3. While there is a place, the queue is looked into again before the longest message has ended.
                if failure == nil, work.wantsMore, !isLooking {
                    isLooking = true
                    let duration = pause.next()
                    group.addTask {
                        try? await Task.sleep(for: duration)
                        return .looked
                    }
                }
                switch await group.next() {
                case .ended(let lane, (let handled, let error)):
                    work.ended(lane, handled: handled)
                    failure = failure ?? error
                    if error == nil { progress() }
                case .looked: isLooking = false
                case .due:
                    isRenewing = false
                    do { try await queue.renew(owner: owner, duration: Self.leaseDuration, now: clock()) } catch {
                        failure = failure ?? error
                    }
                case nil: break
                }
            }
            // A pause that is still running holds nobody up.
            group.cancelAll()
            // What is leased and was not begun does not count as begun.
            if work.hasWaiting { try? await queue.giveBack(owner: owner) }
            return (work.handled, failure)
        }
        if let failure { throw failure }
        return handled
    }

    private var mayBegin: Bool { !Task.isShuttingDownGracefully && !Task.isCancelled }

    /// Leases of lanes that had no turn in this round; where none of these waits another round begins.
    private func lease(for work: inout LaneWork) async throws -> [QueuedSubmission] {
        while true {
            let leased = try await queue.lease(
                owner: owner, limit: Self.batchSize, duration: Self.leaseDuration, now: clock(), isIdle: work.isIdle,
                passingOver: work.rested)
            guard leased.isEmpty, work.mayBeginRound else { return leased }
            work.beginRound()
        }
    }

    private enum Event: Sendable {
        case ended(lane: String, (handled: Int, (any Error)?))
        case looked
        /// The leases are to be renewed.
        case due
    }

    /// A store's errors name tables and never a value.
    static func metadata(of error: any Error) -> Logger.Metadata {
        let detail: Logger.Metadata = (error as? StorageError).map { ["detail": "\($0.message)"] } ?? [:]
        return detail.merging(["code": "\(code(of: error))"]) { $1 }
    }

    static func code(of error: any Error) -> String {
        (error as? any CodedError)?.code ?? "unexpected-\(type(of: error))"
    }
}

/// A pause that grows while nothing happens, and ends at once when the service is told to stop.
struct Pause {
    let first: Duration
    let longest: Duration
    private var following: Duration

    init(first: Duration = .milliseconds(10), longest: Duration = .milliseconds(200)) {
        self.first = first
        self.longest = longest
        following = first
    }

    mutating func reset() { following = first }

    /// The length of the next pause; the one after it is twice as long.
    mutating func next() -> Duration {
        defer { following = min(following * 2, longest) }
        return following
    }

    /// Waits until the pause is over or the bell rings.
    mutating func wait(for bell: ArrivalBell) async {
        let duration = next()
        if await cancelWhenGracefulShutdown({ await bell.wait(atMost: duration) }) { reset() }
    }

    mutating func wait() async {
        let duration = next()
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
    }
}
