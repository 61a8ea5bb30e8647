import Synchronization

/// A fixed number of turns, given in the order of asking. The number of waiting tasks and the time of each wait are
/// bounded; the wait of a cancelled task ends.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [Wait] = []
    }

    /// Maximum number of waiting tasks.
    private static let mostWaiting = 1_024

    private let patience: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: the number of turns at a time.
    ///   - patience: the maximum time of a wait.
    init(_ count: Int, patience: Duration) {
        self.patience = patience
        state = Mutex(State(free: count))
    }

    /// The number of waiting tasks.
    var waiting: Int { @inline(never) get { state.withLock { $0.waiting.count } } }

    /// Runs `body` in a turn.
    ///
    /// - Throws: ``StorageError`` `storage-busy` where no turn is free in time; `CancellationError`; what `body` throws.
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

    /// Takes a free turn; else returns the wait for one.
    @inline(never)
    private func begin() throws -> Wait? {
        try state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            guard state.waiting.count < Self.mostWaiting else { throw Self.busy }
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
