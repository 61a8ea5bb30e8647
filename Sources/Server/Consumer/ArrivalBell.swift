/// Wakes who waits for submissions when one has come.
actor ArrivalBell {
    private var isRung = false
    private var waiting: Task<Void, Never>?

    /// A submission may have come: who waits is woken, else who waits next.
    func ring() {
        isRung = true
        waiting?.cancel()
    }

    /// Waits until it rings, at most so long; cancelling ends the wait.
    ///
    /// - Returns: whether it rang.
    func wait(atMost duration: Duration) async -> Bool {
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
