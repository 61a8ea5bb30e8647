import Dispatch

/// Runs tasks that prepare the next writes, at the priority ``BackgroundPriority/preparing``. At a normal priority
/// these tasks would slow down the transaction that other callers wait for.
public final class BackgroundExecutor: TaskExecutor {
    private let queue = DispatchQueue(
        label: "tributary.background", qos: BackgroundPriority.preparing.qualityOfService, attributes: .concurrent)

    /// Creates an executor that runs its tasks concurrently.
    public init() {}

    /// Runs a long computation and waits for its result.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await Task(executorPreference: self) { body() }.value
    }

    /// Deallocates a large value off the caller's thread.
    public func release(_ value: some Sendable) {
        Task(executorPreference: self) { withExtendedLifetime(value) {} }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            BackgroundPriority.preparing.applyToThread()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
