import Core
import Foundation
import Storage

/// Processes the events that hubs accept, for as long as a study is served.
package struct GatewayWorker: Sendable {
    let recorder: GatewayRecorder
    /// Signalled when events have arrived.
    package let arrivalSignal: ArrivalSignal

    package init(recorder: GatewayRecorder, arrivalSignal: ArrivalSignal = ArrivalSignal()) {
        self.recorder = recorder
        self.arrivalSignal = arrivalSignal
    }

    /// The interval at which the store is checked for events that are due or need not wait any more, also those of
    /// another host.
    private static let pollInterval = Duration.milliseconds(500)
    /// Events that are due within this time of each other are processed together.
    private static let gathering = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)

    /// Processes events until the task is cancelled.
    ///
    /// - Parameter onFailure: called with the code of an error that stopped a step. The step is retried at growing
    ///   intervals.
    package func work(onFailure: @Sendable (String) -> Void) async {
        var last = ""
        var backoff = ExponentialBackoff(first: Self.pollInterval, longest: Self.longestPause)
        while !Task.isCancelled {
            var wait: Duration?
            do {
                try await recorder.work()
                last = try await recorder.release(after: last) ?? ""
                backoff.reset()
                wait = try await recorder.untilNextDue()
            } catch is CancellationError {
                return
            } catch {
                onFailure((error as? any CodedError)?.code ?? "failed")
                backoff.increase()
            }
            _ = await arrivalSignal.wait(
                upTo: wait.map { min(max($0, Self.gathering), backoff.current) } ?? backoff.current)
        }
    }
}
