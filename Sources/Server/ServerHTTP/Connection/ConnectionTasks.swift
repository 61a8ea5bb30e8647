import Synchronization

/// The task that works on a connection's request: it is cancelled when the client is gone.
final class ConnectionTasks: Sendable {
    private struct State {
        var isOver = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `body` in a task that ``end()`` cancels.
    ///
    /// - Throws: what `body` throws; where it was cancelled that is often `CancellationError`.
    func running<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let task = Task { try await body() }
        if begin({ task.cancel() }) { task.cancel() }
        defer { finish() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// - Returns: whether the client is gone already.
    @inline(never)
    private func begin(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.cancel = cancel
            return state.isOver
        }
    }

    @inline(never)
    private func finish() { state.withLock { $0.cancel = nil } }

    /// The client sends and reads nothing more.
    @inline(never)
    func end() {
        let cancel = state.withLock { state in
            state.isOver = true
            return state.cancel
        }
        cancel?()
    }
}
