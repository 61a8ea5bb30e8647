import Synchronization

/// The wait of one task. It ends exactly once: when it is granted, when its time is over, or when the task is
/// cancelled.
///
/// A queue stores the waits of its tasks and grants them. A wait that ended otherwise cannot be granted; the queue then
/// grants the next one.
public final class Wait: Sendable {
    /// Reason why a wait ended.
    public enum Ending: Sendable, Hashable {
        case granted
        case expired
        case cancelled
    }

    private enum State {
        case new
        case waiting(CheckedContinuation<Ending, Never>)
        case ended(Ending)
    }

    private let state = Mutex(State.new)

    /// Creates a wait that has not begun.
    public init() {}

    /// Ends the wait.
    ///
    /// - Returns: false if it had already ended.
    @discardableResult
    @inline(never)
    public func end(_ ending: Ending) -> Bool {
        let (isFirst, continuation): (Bool, CheckedContinuation<Ending, Never>?) = state.withLock { state in
            switch state {
            case .ended: return (false, nil)
            case .new:
                state = .ended(ending)
                return (true, nil)
            case .waiting(let continuation):
                state = .ended(ending)
                return (true, continuation)
            }
        }
        continuation?.resume(returning: ending)
        return isFirst
    }

    @inline(never)
    private func begin(_ continuation: CheckedContinuation<Ending, Never>) {
        let ended: Ending? = state.withLock { state in
            if case .ended(let ending) = state { return ending }
            state = .waiting(continuation)
            return nil
        }
        if let ended { continuation.resume(returning: ended) }
    }

    /// Suspends the task until the wait ends. Only one task may call it, once.
    ///
    /// - Parameter patience: time after which the wait expires.
    public func ending(within patience: Duration) async -> Ending {
        let limit = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            end(.expired)
        }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(continuation)
            }
        } onCancel: {
            end(.cancelled)
        }
    }
}
