import Storage
import Synchronization

/// The time that one request may look for what it asks for: what reads in it, writes in it and the entries of its Bundle
/// share it. Waiting for the database and writing do not count. They share the bytes of the answer, too.
final class SearchTime: Sendable {
    /// The bytes of records that the answer may have.
    let answer: AnswerAllowance
    private let left: Mutex<Duration>

    init(_ limits: SearchLimits, answer: AnswerAllowance = AnswerAllowance()) {
        self.answer = answer
        left = Mutex(limits.time)
    }

    /// Reads for as long as there is time left.
    ///
    /// - Throws: ``StorageError`` `storage-time-limit`; what `body` throws.
    @inline(never)
    func limiting<T>(_ transaction: any SQLTransaction, _ body: () throws -> T) throws -> T {
        let begun = ContinuousClock.now
        defer { left.withLock { $0 -= begun.duration(to: .now) } }
        return try transaction.limited(until: begun + left.withLock { $0 }, body)
    }
}
