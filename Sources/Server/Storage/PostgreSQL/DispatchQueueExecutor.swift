import Dispatch

/// Runs an actor's jobs on a dispatch queue of its own, so that waiting for a database server does not block other
/// tasks.
final class DispatchQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String, qualityOfService: DispatchQoS) {
        queue = DispatchQueue(label: label, qos: qualityOfService)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
