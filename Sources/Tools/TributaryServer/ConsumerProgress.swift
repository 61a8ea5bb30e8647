import Foundation
import Synchronization

/// The time at which the consumer last made progress or found no work.
final class ConsumerProgress: Sendable {
    private let milliseconds = Atomic<Int64>(0)
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    func record() {
        let now = clock().timeIntervalSince1970 * 1000
        milliseconds.store(Int64(max(0, min(now, 1e15))), ordering: .relaxed)
    }

    /// nil before the first time.
    var last: Date? {
        let value = milliseconds.load(ordering: .relaxed)
        return value == 0 ? nil : Date(timeIntervalSince1970: Double(value) / 1000)
    }
}
