/// Signal that wakes a waiting task when work arrives.
public actor ArrivalBell {
    private var isRung = false
    private var waiting: Task<Void, Never>?

    /// Creates a signal that has not been sent.
    public init() {}

    /// Signals that work may have arrived. Wakes the task that waits; otherwise the next call of ``wait(atMost:)``
    /// returns immediately.
    public func ring() {
        isRung = true
        waiting?.cancel()
    }

    /// Waits for the signal, up to a duration. Cancellation ends the wait.
    ///
    /// - Returns: whether the signal was sent.
    public func wait(atMost duration: Duration) async -> Bool {
        if !isRung {
            let sleeping = Task<Void, Never> { try? await Task.sleep(for: duration) }
            waiting = sleeping
            await withTaskCancellationHandler {
                await sleeping.value
            } onCancel: {
                sleeping.cancel()
            }
            waiting = nil
        }
        defer { isRung = false }
        return isRung
    }
}
