import Dispatch

/// Runs tasks that make ready what is recorded next (``BackgroundPriority/preparing``): otherwise they take the processor
/// from the transaction that all wait for.
public final class BackgroundExecutor: TaskExecutor {
    private let queue = DispatchQueue(
        label: "tributary.background", qos: BackgroundPriority.preparing.qualityOfService, attributes: .concurrent)

    /// An executor whose tasks run beside each other.
    public init() {}

    /// Runs work that takes long and waits for it.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await Task(executorPreference: self) { body() }.value
    }

    /// Lets go of a value of many parts, which nobody waits for.
    public func release(_ value: some Sendable) {
        Task(executorPreference: self) { withExtendedLifetime(value) {} }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            BackgroundPriority.preparing.takeOnThread()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
