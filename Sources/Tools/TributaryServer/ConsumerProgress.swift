import Foundation
import Synchronization

/// When the consumer last got something done, or saw that there is nothing to do.
final class ConsumerProgress: Sendable {
    private let milliseconds = Atomic<Int64>(0)
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date) { self.clock = clock }

    func note() {
        let now = clock().timeIntervalSince1970 * 1000
        milliseconds.store(Int64(max(0, min(now, 1e15))), ordering: .relaxed)
    }

    /// nil before the first time.
    var last: Date? {
        let value = milliseconds.load(ordering: .relaxed)
        return value == 0 ? nil : Date(timeIntervalSince1970: Double(value) / 1000)
    }
}
