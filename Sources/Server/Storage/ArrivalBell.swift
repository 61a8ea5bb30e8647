/// Wakes who waits for work when some has come.
public actor ArrivalBell {
    private var isRung = false
    private var waiting: Task<Void, Never>?

    /// A bell that nobody has rung.
    public init() {}

    /// Work may have come: who waits is woken, else who waits next.
    public func ring() {
        isRung = true
        waiting?.cancel()
    }

    /// Waits until it rings, at most so long; cancelling ends the wait.
    ///
    /// - Returns: whether it rang.
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
