import AccessPolicy
import FHIRHTTP
import ServerHTTP
import Storage
import Synchronization

/// Decides which caller searches next. Callers take turns, and each has a maximum number of concurrent searches and a
/// maximum number of seconds of search in a minute.
final class SearchSchedule: Sendable {
    struct Limits: Sendable {
        /// Maximum number of concurrent searches: fewer than the read connections.
        var atATime = 4
        /// Maximum number of concurrent searches of one caller.
        var ofCaller = 2
        /// Maximum number of waiting searches.
        var waiting = 1_024
        /// Maximum number of waiting searches of one caller.
        var waitingOfCaller = 64
        /// Maximum waiting time of a search.
        var patience: Duration = .seconds(20)
        /// The seconds of search of one caller: `perSecond` is the steady rate, `burst` the maximum after idle time.
        var seconds: Rate = RateLimits()[.searchSecondsByCaller]
    }

    private struct Caller {
        var running = 0
        var waiting: [Wait] = []
        /// The seconds that were left at `at`.
        var seconds: Double
        var at: Duration
    }

    private struct State {
        var running = 0
        var waiting = 0
        var callers: [String: Caller] = [:]
        /// The callers with waiting searches, the next one first.
        var turns: [String] = []
    }

    /// The number of callers above which idle callers are removed.
    private static let maximumIdleCallers = 4_096

    let limits: Limits
    /// The time since a fixed instant.
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    init(_ limits: Limits = Limits(), now: @escaping @Sendable () -> Duration) {
        self.limits = limits
        self.now = now
    }

    /// Creates a schedule with the system's steady clock.
    convenience init(_ limits: Limits = Limits()) {
        let start = ContinuousClock.now
        self.init(limits, now: { start.duration(to: .now) })
    }

    /// The number of running and of waiting searches.
    var count: (running: Int, waiting: Int) { @inline(never) get { state.withLock { ($0.running, $0.waiting) } } }

    /// Runs a search of a caller in its turn.
    ///
    /// - Throws: ``RecordsFailure/searchesTooLong(retryAfter:)`` where the caller's seconds are used up or too many of
    ///   its searches wait; ``ServerHTTP/HTTPFailure/serverBusy(retryAfter:)`` where its turn does not come in time;
    ///   `CancellationError`; the errors of `body`.
    func running<T>(for caller: String, _ body: () async throws -> T) async throws -> T {
        try await take(caller)
        let begun = now()
        defer { give(caller, used: now() - begun) }
        // Other searches of the caller may have used its seconds during the wait.
        if let seconds = retryAfter(caller) {
            throw RecordsFailure.searchesTooLong(retryAfter: seconds)
        }
        return try await body()
    }

    private func take(_ caller: String) async throws {
        guard let wait = try begin(caller) else { return }
        let ending = await wait.ending(within: limits.patience)
        guard ending != .granted else { return }
        remove(wait, of: caller)
        throw ending == .expired ? HTTPFailure.serverBusy(retryAfter: 5) : CancellationError()
    }

    @inline(never)
    private func retryAfter(_ caller: String) -> Int? { state.withLock { retryAfter(&$0, caller) } }

    @inline(never)
    private func remove(_ wait: Wait, of caller: String) { state.withLock { remove(wait, of: caller, &$0) } }

    /// Takes a free turn; otherwise returns the wait for one.
    @inline(never)
    private func begin(_ caller: String) throws -> Wait? {
        try state.withLock { state in
            if let seconds = retryAfter(&state, caller) { throw RecordsFailure.searchesTooLong(retryAfter: seconds) }
            if state.running < limits.atATime, state.callers[caller]?.running ?? 0 < limits.ofCaller {
                begin(&state, caller)
                return nil
            }
            guard state.waiting < limits.waiting else { throw HTTPFailure.serverBusy(retryAfter: 2) }
            let own = state.callers[caller]?.waiting.count ?? 0
            guard own < limits.waitingOfCaller else { throw RecordsFailure.searchesTooLong(retryAfter: 2) }
            let wait = Wait()
            state.waiting += 1
            state.callers[caller]?.waiting.append(wait)
            if own == 0 { state.turns.append(caller) }
            return wait
        }
    }

    /// Ends a search, and begins waiting searches.
    @inline(never)
    private func give(_ caller: String, used: Duration) {
        state.withLock { state in
            state.running -= 1
            refill(&state, caller)
            state.callers[caller]?.running -= 1
            state.callers[caller]?.seconds -= used / .seconds(1)
            next(&state)
            if state.callers.count > Self.maximumIdleCallers {
                let now = now()
                let rested = Double(limits.seconds.burst)
                state.callers = state.callers.filter { _, caller in
                    caller.running > 0 || !caller.waiting.isEmpty || seconds(of: caller, now) < rested
                }
            }
        }
    }

    /// Begins as many waiting searches as the limits permit, one of each caller in turn.
    private func next(_ state: inout State) {
        var index = 0
        while state.running < limits.atATime, index < state.turns.count {
            let caller = state.turns[index]
            guard let waiting = state.callers[caller], waiting.running < limits.ofCaller else {
                index += 1
                continue
            }
            state.turns.remove(at: index)
            guard let first = waiting.waiting.first else { continue }
            state.callers[caller]?.waiting.removeFirst()
            state.waiting -= 1
            if waiting.waiting.count > 1 { state.turns.append(caller) }
            if first.end(.granted) { begin(&state, caller) }
        }
    }

    private func begin(_ state: inout State, _ caller: String) {
        state.running += 1
        state.callers[caller]?.running += 1
    }

    private func remove(_ wait: Wait, of caller: String, _ state: inout State) {
        guard let index = state.callers[caller]?.waiting.firstIndex(where: { $0 === wait }) else { return }
        state.callers[caller]?.waiting.remove(at: index)
        state.waiting -= 1
        if state.callers[caller]?.waiting.isEmpty ?? true { state.turns.removeAll { $0 == caller } }
    }

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
