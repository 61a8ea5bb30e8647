/// Signal that wakes a waiting task when work arrives.
public actor ArrivalSignal {
    private var isSent = false
    private var waiting: Task<Void, Never>?

    /// Creates a signal that has not been sent.
    public init() {}

    /// Signals that work may have arrived. Wakes the task that waits; otherwise the next call of ``wait(upTo:)``
    /// returns immediately.
    public func send() {
        isSent = true
        waiting?.cancel()
    }

    /// Waits for the signal, up to a duration. Cancellation ends the wait.
    ///
    /// - Returns: whether the signal was sent.
    public func wait(upTo duration: Duration) async -> Bool {
        if !isSent {
            let sleeping = Task<Void, Never> { try? await Task.sleep(for: duration) }
            waiting = sleeping
            await withTaskCancellationHandler {
                await sleeping.value
            } onCancel: {
                sleeping.cancel()
            }
            waiting = nil
        }
        defer { isSent = false }
        return isSent
    }
}
