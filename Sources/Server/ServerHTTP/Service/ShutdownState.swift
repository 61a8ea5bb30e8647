import Synchronization

/// Whether the server is being stopped.
final class ShutdownState: Sendable {
    private let flag = Atomic(false)

    var isUnderWay: Bool { flag.load(ordering: .relaxed) }

    func begin() { flag.store(true, ordering: .relaxed) }
}
