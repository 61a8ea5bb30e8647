import Foundation
import Storage
import Synchronization

/// Requests that wait for a change of the people store.
///
/// The number of waiting requests is bounded; requests above the bound do not wait. A change of this process wakes all
/// waiting requests. They also examine the store regularly, for changes of other processes, and for access that has
/// ended.
package final class AccountWaits: Sendable {
    /// Maximum time of a wait, in seconds.
    package static let maximumSeconds = 30

    private struct State {
        var signals: [UUID: ArrivalSignal] = [:]
        var counts: [String: Int] = [:]
        var hasEnded = false
    }

    /// Maximum number of waiting requests.
    let limit: Int
    /// Maximum number of waiting requests of one account.
    let limitByAccount: Int
    /// Time between two examinations of the store.
    let interval: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: maximum number of waiting requests.
    ///   - limitByAccount: maximum number of waiting requests of one account.
    ///   - interval: time between two examinations of the store by one request.
    package init(limit: Int = 256, limitByAccount: Int = 4, interval: Duration = .milliseconds(1_500)) {
        self.limit = limit
        self.limitByAccount = limitByAccount
        self.interval = interval
    }

    /// Waits until there is news.
    ///
    /// - Parameters:
    ///   - account: the account that waits.
    ///   - seconds: the maximum time.
    ///   - hasNews: examines the store. It throws if the access of the account has ended.
    package func wait(
        for account: String, upTo seconds: Int, until hasNews: () async throws -> Bool
    ) async throws {
        guard seconds > 0 else { return }
        let (id, signal) = (UUID(), ArrivalSignal())
        // The signal is registered before the first examination, so that no change is missed.
        guard enter(account, id: id, signal: signal) else { return }
        defer { leave(account, id: id) }
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(min(seconds, Self.maximumSeconds)))
        while try await !hasNews() {
            let left = clock.now.duration(to: end)
            guard left > .zero, !hasEnded else { return }
            _ = await signal.wait(upTo: min(left, interval))
            try Task.checkCancellation()
        }
    }

    /// Wakes all waiting requests.
    package func send() {
        let signals = signals()
        guard !signals.isEmpty else { return }
        Task { for signal in signals { await signal.send() } }
    }

    /// Ends all waits, now and later, for the end of the server.
    package func end() {
        markEnded()
        send()
    }

    /// Number of waiting requests.
    package var count: Int { signals().count }

    @inline(never)
    private func enter(_ account: String, id: UUID, signal: ArrivalSignal) -> Bool {
        state.withLock { state in
            guard !state.hasEnded, state.signals.count < limit, state.counts[account, default: 0] < limitByAccount
            else { return false }
            state.signals[id] = signal
            state.counts[account, default: 0] += 1
            return true
        }
    }

    @inline(never)
    private func leave(_ account: String, id: UUID) {
        state.withLock { state in
            state.signals[id] = nil
            let left = (state.counts[account] ?? 1) - 1
            state.counts[account] = left > 0 ? left : nil
        }
    }

    @inline(never)
    private func signals() -> [ArrivalSignal] { state.withLock { Array($0.signals.values) } }

    @inline(never)
    private func markEnded() { state.withLock { $0.hasEnded = true } }

    private var hasEnded: Bool { @inline(never) get { state.withLock { $0.hasEnded } } }
}
