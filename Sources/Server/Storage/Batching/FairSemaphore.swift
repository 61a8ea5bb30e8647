import Synchronization

/// A semaphore with a fixed number of permits, granted in the order of the requests. The number of waiting tasks and
/// the time of each wait are limited; cancellation ends a wait.
final class FairSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [Wait] = []
    }

    /// Maximum number of waiting tasks.
    private static let maximumWaiting = 1_024

    private let patience: Duration
    private let state: Mutex<State>

    /// - Parameters:
    /// - count: number of permits.
    /// - patience: maximum time of a wait.
    init(_ count: Int, patience: Duration) {
        self.patience = patience
        state = Mutex(State(free: count))
    }

    /// Number of waiting tasks.
    var waiting: Int { @inline(never) get { state.withLock { $0.waiting.count } } }

    /// Runs `body` with a permit.
    ///
    /// - Throws: ``StorageError`` `storage-busy` if no permit becomes free in time; `CancellationError`; errors of
    ///   `body`.
    func using<T>(_ body: () async throws -> T) async throws -> T {
        try await take()
        defer { give() }
        return try await body()
    }

    private func take() async throws {
        guard let wait = try begin() else { return }
        switch await wait.ending(within: patience) {
        case .granted: return
        case .expired:
            remove(wait)
            throw Self.busy
        case .cancelled:
            remove(wait)
            throw CancellationError()
        }
    }

    /// Takes a free permit, or returns a wait for one.
    @inline(never)
    private func begin() throws -> Wait? {
        try state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            guard state.waiting.count < Self.maximumWaiting else { throw Self.busy }
            let wait = Wait()
            state.waiting.append(wait)
            return wait
        }
    }

    @inline(never)
    private func give() {
        state.withLock { state in
            while !state.waiting.isEmpty {
                if state.waiting.removeFirst().end(.granted) { return }
            }
            state.free += 1
        }
    }

    @inline(never)
    private func remove(_ wait: Wait) { state.withLock { $0.waiting.removeAll { $0 === wait } } }

    private static let busy = StorageError(
        code: "storage-busy", message: "All connections to the database are in use; try again.")
}
