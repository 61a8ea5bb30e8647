import Dispatch

/// Runs work that takes long beside Swift's cooperative threads, of which there are as many as cores: what opens and
/// converts a large message there would keep the server from answering.
struct HeavyWork: Sendable {
    private let queue = DispatchQueue(label: "tributary.consumer", attributes: .concurrent)

    func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
