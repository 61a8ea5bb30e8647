import Core
import Foundation

/// The times of the attempts to send a mail: delays that double up to a maximum, for two days after its creation. It is
/// pure.
package struct MailSchedule: Sendable, Hashable {
    /// The delay after the first failed attempt, and the maximum of the later ones, in seconds.
    private let backoff: ExponentialBackoff<Double>
    /// Seconds after the creation of a mail in which attempts begin.
    package let lifetime: Double

    package init(first: Double = 2, longest: Double = 900, lifetime: Double = 2 * 86_400) {
        backoff = ExponentialBackoff(first: first, longest: longest)
        self.lifetime = lifetime
    }

    /// Returns the future of a mail after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: outcome of the attempt.
    ///   - attempts: number of failed attempts before this one.
    ///   - created: creation of the mail.
    ///   - now: end of the attempt.
    package func decision(
        after outcome: MailOutcome, attempts: Int, created: Date, now: Date
    ) -> MailDecision {
        switch outcome {
        case .accepted: return .remove(.sent)
        case .refused: return .remove(.refused)
        case .cancelled: return .retry(at: now, attempts: attempts)
        case .deferred, .unavailable:
            let end = created.addingTimeInterval(lifetime)
            guard now < end else { return .remove(.givenUp) }
            let failures = attempts + 1
            // A last attempt is made at the end of the time.
            let next = now.addingTimeInterval(backoff.delay(afterFailures: failures))
            return .retry(at: min(next, end), attempts: failures)
        }
    }
}

/// The future of a mail after an attempt to send it.
package enum MailDecision: Sendable, Hashable {
    /// It leaves the queue.
    case remove(MailEnd)
    /// It remains in the queue until the next attempt.
    case retry(at: Date, attempts: Int)
}

/// The reason why a mail leaves the queue.
package enum MailEnd: String, Sendable, Hashable {
    /// The server accepted it.
    case sent
    /// The server refused it for good.
    case refused
    /// All attempts failed until the end of its time.
    case givenUp = "given-up"
}
