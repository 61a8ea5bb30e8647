import Synchronization

/// The task that handles a connection's request. It is cancelled when the client disconnects.
final class ConnectionTasks: Sendable {
    private struct State {
        var isOver = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `body` in a task that ``end()`` cancels.
    ///
    /// - Throws: the error of `body`, often `CancellationError` if the task was cancelled.
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

    /// - Returns: whether the client has already disconnected.
    @inline(never)
    private func begin(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.cancel = cancel
            return state.isOver
        }
    }

    @inline(never)
    private func finish() { state.withLock { $0.cancel = nil } }

    /// Cancels the task, because the client has disconnected.
    @inline(never)
    func end() {
        let cancel = state.withLock { state in
            state.isOver = true
            return state.cancel
        }
        cancel?()
    }
}
