import Synchronization

/// Limits the bytes of request bodies that are in memory at a time, over all connections.
///
/// A quarter is reserved for small bodies, so that large unfinished ones do not block single measurements.
///
/// ```swift
/// let reservation = try budget.reserve(length)
/// try reservation.grow(by: chunk.readableBytes)   // where the length is not known before
/// reservation.release()                           // or when the last reference goes
/// ```
package final class BodyBudget: Sendable {
    /// Maximum bytes in flight.
    package let bytes: Int
    /// A body up to this many bytes is small and may use the whole budget.
    package let smallBody: Int
    private let used = Mutex(0)

    /// - Parameters:
    ///   - bytes: maximum bytes in flight.
    ///   - smallBody: maximum size of a small body. The last quarter of the budget is available to small bodies only.
    package init(bytes: Int, smallBody: Int = 256 << 10) {
        self.bytes = max(0, bytes)
        self.smallBody = smallBody
    }

    /// The bytes in flight now.
    package var bytesInFlight: Int { @inline(never) get { used.withLock { $0 } } }

    /// Takes bytes of the budget until the reservation is released or deallocated.
    ///
    /// - Throws: ``HTTPFailure/serverBusy(retryAfter:)`` if the bytes are not free.
    package func reserve(_ count: Int) throws(HTTPFailure) -> BodyReservation {
        let reservation = BodyReservation(budget: self)
        try reservation.grow(by: count)
        return reservation
    }

    /// Takes `more` bytes for a body that already holds `held` bytes.
    @inline(never)
    fileprivate func take(_ more: Int, held: Int) -> Bool {
        let limit = more > smallBody - min(held, smallBody) ? bytes - bytes / 4 : bytes
        return used.withLock { used in
            guard more <= limit, used <= limit - more else { return false }
            used += more
            return true
        }
    }

    @inline(never)
    fileprivate func give(_ count: Int) { used.withLock { $0 -= count } }
}

/// Bytes of a ``BodyBudget`` that one request body holds.
package final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let held = Mutex(0)

    fileprivate init(budget: BodyBudget) { self.budget = budget }

    deinit { release() }

    /// The number of bytes held.
    package var bytes: Int { @inline(never) get { held.withLock { $0 } } }

    /// Takes more bytes as chunks arrive.
    ///
    /// - Throws: ``HTTPFailure/serverBusy(retryAfter:)`` if the bytes are not free; the bytes already held are kept.
    @inline(never)
    package func grow(by count: Int) throws(HTTPFailure) {
        let more = max(0, count)
        let isTaken = held.withLock { held in
            guard budget.take(more, held: held) else { return false }
            held += more
            return true
        }
        if !isTaken { throw .serverBusy(retryAfter: 2) }
    }

    /// Returns all bytes to the budget. A second call has no effect.
    @inline(never)
    package func release() {
        let count = held.withLock { held in
            defer { held = 0 }
            return held
        }
        budget.give(count)
    }
}
