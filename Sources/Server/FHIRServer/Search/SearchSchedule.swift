import AccessPolicy
import FHIRHTTP
import ServerHTTP
import Storage
import Synchronization

/// Decides which caller searches next. Callers take turns, and each has a maximum number of concurrent searches and a
/// maximum number of seconds of search in a minute.
///
/// A search that finds a free slot has a transaction of its own. Waiting searches share one: a slot runs them one after
/// the other on one connection, because each transaction changes the thread several times. A waiting search belongs to
/// no transaction before it begins: a slow search delays it only while its caller has no other free slot.
final class SearchSchedule: Sendable {
    struct Limits: Sendable {
        /// Maximum number of concurrent searches: fewer than the read connections.
        var atATime = 4
        /// Maximum number of concurrent searches of one caller.
        var ofCaller = 2
        /// Maximum number of searches in one transaction.
        var ofTransaction = 16
        /// The time after which a transaction begins no other search.
        var transaction: Duration = .milliseconds(50)
        /// Maximum number of waiting searches.
        var waiting = 1_024
        /// Maximum number of waiting searches of one caller.
        var waitingOfCaller = 64
        /// Maximum waiting time of a search.
        var patience: Duration = .seconds(20)
        /// The seconds of search of one caller: `perSecond` is the steady rate, `burst` the maximum after idle time.
        var seconds: Rate = RateLimits()[.searchSecondsByCaller]
    }

    /// A search that waits, or that a run executes.
    private struct Search: Sendable {
        let caller: String
        /// The number of the request. Later requests have higher numbers.
        let number: Int
        /// The end of the wait.
        let end: ContinuousClock.Instant
        /// Runs the search, and returns the closure that passes the result to the caller.
        let run: @Sendable (any SQLTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    /// Searches that one slot runs in one transaction.
    private struct Run {
        /// The last request before the transaction. A later request may follow a write that the transaction cannot read.
        let last: Int
        let begun: Duration
        var count = 1
        /// The search that runs now.
        var search: Search
        var searchBegun: Duration
        /// Whether the client of the running search has left. Then the run begins no other search.
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    private struct Caller {
        var running = 0
        var waiting: [Search] = []
        /// The seconds that were left at `at`.
        var seconds: Double
        var at: Duration
    }

    private struct State {
        /// The number of the last request.
        var number = 0
        var running = 0
        var waiting = 0
        var callers: [String: Caller] = [:]
        /// The callers with waiting searches, the next one first.
        var turns: [String] = []
        /// The runs, by the numbers of their first searches.
        var runs: [Int: Run] = [:]
        /// Whether a task ends the waits that take too long.
        var isExpiring = false
    }

    /// The number of callers above which idle callers are removed.
    private static let maximumIdleCallers = 4_096

    let limits: Limits
    private let database: any SQLDatabase
    /// The time since a fixed instant.
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    init(of database: any SQLDatabase, limits: Limits = Limits(), now: @escaping @Sendable () -> Duration) {
        self.database = database
        self.limits = limits
        self.now = now
    }

    /// Creates a schedule with the system's steady clock.
    convenience init(of database: any SQLDatabase, limits: Limits = Limits()) {
        let start = ContinuousClock.now
        self.init(of: database, limits: limits, now: { start.duration(to: .now) })
    }

    /// The number of running and of waiting searches.
    var count: (running: Int, waiting: Int) { @inline(never) get { state.withLock { ($0.running, $0.waiting) } } }

    /// Runs a search of a caller in its turn, in a transaction that began after the call.
    ///
    /// - Throws: ``RecordsFailure/searchesTooLong(retryAfter:)`` where the caller's seconds are used up or too many of
    ///   its searches wait; ``ServerHTTP/HTTPFailure/serverBusy(retryAfter:)`` where its turn does not come in time;
    ///   `CancellationError`; the errors of the database and of `body`.
    func running<T: Sendable>(
        for caller: String, _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        guard let number = try begin(caller) else {
            let begun = now()
            defer { give(caller, used: now() - begun) }
            return try await database.read(body)
        }
        let end = ContinuousClock.now + limits.patience
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let search = Search(
                    caller: caller, number: number, end: end,
                    run: { transaction in
                        let value = try body(transaction)
                        return { continuation.resume(returning: value) }
                    }, fail: { continuation.resume(throwing: $0) })
                do { try add(search) } catch { return search.fail(error) }
                // The cancellation may have preceded the addition.
                if Task.isCancelled { cancel(number, of: caller) }
            }
        } onCancel: {
            cancel(number, of: caller)
        }
    }

    /// Takes a free slot; otherwise returns the number of the request.
    @inline(never)
    private func begin(_ caller: String) throws -> Int? {
        try state.withLock { state in
            if let seconds = retryAfter(&state, caller) { throw RecordsFailure.searchesTooLong(retryAfter: seconds) }
            state.number += 1
            guard state.running < limits.atATime, state.callers[caller]?.running ?? 0 < limits.ofCaller else {
                return state.number
            }
            begin(&state, caller)
            return nil
        }
    }

    /// Adds a search to those that wait.
    @inline(never)
    private func add(_ search: Search) throws {
        try state.withLock { state in
            guard state.waiting < limits.waiting else { throw HTTPFailure.serverBusy(retryAfter: 2) }
            refill(&state, search.caller)
            let own = state.callers[search.caller]?.waiting.count ?? 0
            guard own < limits.waitingOfCaller else { throw RecordsFailure.searchesTooLong(retryAfter: 2) }
            state.waiting += 1
            state.callers[search.caller]?.waiting.append(search)
            if own == 0 { state.turns.append(search.caller) }
            if !state.isExpiring {
                state.isExpiring = true
                Task.detached { await self.expireWaits() }
            }
            // A slot may have become free.
            fill(&state)
        }
    }

    /// Ends the search of a client that has left.
    @inline(never)
    private func cancel(_ number: Int, of caller: String) {
        let task: Task<Void, Never>? = state.withLock { state in
            if let search = remove(&state, caller, where: { $0.number == number }) {
                search.fail(CancellationError())
                return nil
            }
            guard let id = state.runs.first(where: { $0.value.search.number == number })?.key else { return nil }
            state.runs[id]?.isCancelled = true
            return state.runs[id]?.task
        }
        task?.cancel()
    }

    /// Ends the search that had a transaction of its own, and begins waiting searches.
    @inline(never)
    private func give(_ caller: String, used: Duration) {
        state.withLock { state in
            end(&state, caller, used: used)
            fill(&state)
        }
    }

    private func begin(_ state: inout State, _ caller: String) {
        state.running += 1
        state.callers[caller]?.running += 1
    }

    private func end(_ state: inout State, _ caller: String, used: Duration) {
        state.running -= 1
        refill(&state, caller)
        state.callers[caller]?.running -= 1
        state.callers[caller]?.seconds -= used / .seconds(1)
        guard state.callers.count > Self.maximumIdleCallers else { return }
        let now = now()
        let rested = Double(limits.seconds.burst)
        state.callers = state.callers.filter { _, caller in
            caller.running > 0 || !caller.waiting.isEmpty || seconds(of: caller, now) < rested
        }
    }

    // MARK: Runs

    /// Begins a run in each free slot for which a search waits.
    private func fill(_ state: inout State) {
        while let search = next(&state, upTo: .max) {
            let (id, now) = (search.number, now())
            var run = Run(last: state.number, begun: now, search: search, searchBegun: now)
            run.task = Task.detached { await self.run(id) }
            state.runs[id] = run
        }
    }

    /// Takes the waiting search whose turn is next, if its number is at most `last`; nil where the limits permit none.
    private func next(_ state: inout State, upTo last: Int) -> Search? {
        var index = 0
        while state.running < limits.atATime, index < state.turns.count {
            let caller = state.turns[index]
            guard let first = state.callers[caller]?.waiting.first,
                state.callers[caller]?.running ?? 0 < limits.ofCaller
            else {
                index += 1
                continue
            }
            guard first.number <= last else { return nil }
            state.callers[caller]?.waiting.removeFirst()
            state.waiting -= 1
            state.turns.remove(at: index)
            if state.callers[caller]?.waiting.isEmpty == false { state.turns.append(caller) }
            // Other searches of the caller may have used its seconds during the wait.
            if let seconds = retryAfter(&state, caller) {
                first.fail(RecordsFailure.searchesTooLong(retryAfter: seconds))
                continue
            }
            begin(&state, caller)
            return first
        }
        return nil
    }

    private func run(_ id: Int) async {
        do {
            try await database.read { transaction in
                // The database may repeat the transaction. Then the run continues with the search that failed.
                while let search = self.search(of: id) {
                    let deliver = try search.run(transaction)
                    self.proceed(id)
                    deliver()
                }
            }
        } catch {
            stop(id)?.fail(error)
        }
    }

    /// The search that a run executes now; nil after the last one.
    @inline(never)
    private func search(of id: Int) -> Search? { state.withLock { $0.runs[id]?.search } }

    /// Ends the search of a run, and begins the next one in the same transaction if its limits permit it.
    @inline(never)
    private func proceed(_ id: Int) {
        state.withLock { state in
            guard var run = state.runs[id] else { return }
            let now = now()
            end(&state, run.search.caller, used: now - run.searchBegun)
            let mayProceed =
                !run.isCancelled && run.count < limits.ofTransaction && now - run.begun < limits.transaction
            if mayProceed, let search = next(&state, upTo: run.last) {
                run.search = search
                run.searchBegun = now
                run.count += 1
                state.runs[id] = run
            } else {
                state.runs[id] = nil
            }
            fill(&state)
        }
    }

    /// Ends a run after an error. Returns the search that failed; nil after the last one.
    @inline(never)
    private func stop(_ id: Int) -> Search? {
        state.withLock { state in
            guard let run = state.runs.removeValue(forKey: id) else { return nil }
            end(&state, run.search.caller, used: now() - run.searchBegun)
            fill(&state)
            return run.search
        }
    }

    // MARK: Waits

    private func expireWaits() async {
        // One task for all waits: a timer for each search costs as much as a short search.
        while let end = expire() { try? await Task.sleep(until: end, clock: .continuous) }
    }

    /// Ends the waits that take too long. Returns the end of the next one; nil where no search waits.
    @inline(never)
    private func expire() -> ContinuousClock.Instant? {
        state.withLock { state in
            let now = ContinuousClock.now
            for caller in state.turns {
                while let search = remove(&state, caller, where: { $0.end <= now }) {
                    search.fail(HTTPFailure.serverBusy(retryAfter: 5))
                }
            }
            let next = state.turns.compactMap { state.callers[$0]?.waiting.map(\.end).min() }.min()
            state.isExpiring = next != nil
            return next
        }
    }

    /// Removes the first waiting search of a caller that meets a condition.
    private func remove(_ state: inout State, _ caller: String, where isRemoved: (Search) -> Bool) -> Search? {
        guard let index = state.callers[caller]?.waiting.firstIndex(where: isRemoved) else { return nil }
        let search = state.callers[caller]?.waiting.remove(at: index)
        state.waiting -= 1
        if state.callers[caller]?.waiting.isEmpty ?? true { state.turns.removeAll { $0 == caller } }
        return search
    }

    // MARK: Seconds

    /// Returns the seconds after which a caller may search again; nil where it may now.
    private func retryAfter(_ state: inout State, _ caller: String) -> Int? {
        refill(&state, caller)
        guard let seconds = state.callers[caller]?.seconds, seconds <= 0 else { return nil }
        return Int(min((-seconds / limits.seconds.perSecond).rounded(.up), 3_600)) + 1
    }

    private func refill(_ state: inout State, _ caller: String) {
        let now = now()
        var known = state.callers[caller] ?? Caller(seconds: Double(limits.seconds.burst), at: now)
        known.seconds = seconds(of: known, now)
        known.at = now
        state.callers[caller] = known
    }

    private func seconds(of caller: Caller, _ now: Duration) -> Double {
        let passed = max(0, (now - caller.at) / .seconds(1))
        return min(Double(limits.seconds.burst), caller.seconds + passed * limits.seconds.perSecond)
    }
}

extension AccessGrant {
    /// The key of one caller's limits: a client that acts for one person or one patient, or a token.
    var callerKey: String {
        // Each user of an app is a caller of its own.
        [actor.role.rawValue, actor.id, client ?? "", person ?? "", patientInContext ?? ""].joined(separator: "\u{1F}")
    }
}
