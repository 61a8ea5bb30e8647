import RecordStorage
import Storage
import Synchronization

/// The time that one request may search. Its reads, its lookups before a write and the entries of its Bundle share it.
/// Waiting for the database and writing do not count. They also share the bytes of the response.
package final class SearchDeadline: Sendable {
    /// The allowance for the bytes of the response.
    package let answer: AnswerAllowance
    private let left: Mutex<Duration>

    package init(_ limits: SearchLimits, answer: AnswerAllowance = AnswerAllowance()) {
        self.answer = answer
        left = Mutex(limits.time)
    }

    /// Reads for as long as there is time left.
    ///
    /// - Throws: ``StorageError`` `storage-time-limit`; the errors of `body`.
    @inline(never)
    package func limiting<T>(_ transaction: any SQLTransaction, _ body: () throws -> T) throws -> T {
        let begun = ContinuousClock.now
        defer { left.withLock { $0 -= begun.duration(to: .now) } }
        return try transaction.limited(until: begun + left.withLock { $0 }, body)
    }
}
