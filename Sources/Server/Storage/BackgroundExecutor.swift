import Dispatch

/// Runs tasks that nobody waits for, at the priority of what records (``BackgroundPriority``): what is made ready for the
/// next transaction otherwise takes the processor from the one that all wait for.
public final class BackgroundExecutor: TaskExecutor {
    private let queue = DispatchQueue(
        label: "tributary.background", qos: BackgroundPriority.qualityOfService, attributes: .concurrent)

    /// An executor with threads of its own, as many as the machine has processors for at most.
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            BackgroundPriority.takeOnThread()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
