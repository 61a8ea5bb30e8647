import Dispatch
import Storage

/// Runs work that takes long beside Swift's cooperative threads, of which there are as many as cores, and behind the
/// receiver's: what opens and converts a large message there would keep the server from answering.
struct HeavyWork: Sendable {
    private let queue = DispatchQueue(
        label: "tributary.consumer", qos: BackgroundPriority.recording.qualityOfService, attributes: .concurrent)

    func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async {
                BackgroundPriority.recording.takeOnThread()
                continuation.resume(returning: body())
            }
        }
    }
}
