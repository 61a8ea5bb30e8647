import Dispatch

/// Runs tasks that may compute for a long time. Dispatch has separate threads for each quality of service, as many as
/// there are processors. Nothing else in the server uses this one, so that long tasks never take the threads of short
/// ones.
package final class LongWorkExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tributary.long-work", qos: .userInitiated, attributes: .concurrent)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
