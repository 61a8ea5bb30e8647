import Dispatch

/// Runs tasks that may compute for long. Dispatch gives each quality of service threads of its own, as many as there are
/// processors: nothing else in the server uses this one, so that long work never takes the threads of short work.
final class LongWorkExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tributary.long-work", qos: .userInitiated, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
