/// Delays between attempts: each is twice as long as the previous one, up to a maximum.
///
/// A delay is a `Duration`, or a number in the unit of the function that waits.
///
/// ```swift
/// var backoff = ExponentialBackoff(first: .seconds(1), longest: .seconds(60))
/// backoff.nextDelay()  // 1 s, then 2 s, 4 s ... 60 s, 60 s
/// backoff.reset()      // after a success
/// ```
package struct ExponentialBackoff<Delay: AdditiveArithmetic & Comparable & Hashable & Sendable>: Sendable, Hashable {
    /// The first delay.
    package let first: Delay
    /// The maximum of the later delays.
    package let longest: Delay
    /// The delay after the failures so far.
    package private(set) var current: Delay

    /// Creates delays that begin with the first one.
    package init(first: Delay, longest: Delay) {
        self.first = first
        self.longest = longest
        current = first
    }

    /// Begins with the first delay again.
    package mutating func reset() { current = first }

    /// Doubles the current delay, up to the maximum.
    package mutating func increase() { current = min(current + current, longest) }

    /// Returns the current delay and doubles it for the next call.
    package mutating func nextDelay() -> Delay {
        defer { increase() }
        return current
    }

    /// Returns the delay after a number of consecutive failures: the first one after one failure. It never exceeds the
    /// maximum, even if the first delay does.
    package func delay(afterFailures failures: Int) -> Delay {
        var delay = first
        for _ in 1..<max(failures, 1) {
            guard delay < longest else { break }
            delay += delay
        }
        return min(delay, longest)
    }
}
