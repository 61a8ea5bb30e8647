import Foundation
import Synchronization

/// Limits the log to one line for each code in each second. So a flood of refusals neither fills the disk nor hides
/// other lines.
final class LogThrottle: Sendable {
    private struct State {
        var second: Int64
        /// The number of lines omitted since the last written one.
        var omitted: Int
    }

    /// The codes are the server's own, so a client can never reach this limit.
    private static let maximumCodes = 1_024

    private let now: @Sendable () -> Duration
    private let states = Mutex<[String: State]>([:])

    /// - Parameter now: the time since any fixed instant, by a monotonic clock.
    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Creates a throttle with the system's monotonic clock.
    convenience init() {
        let start = ContinuousClock.now
        self.init(now: { start.duration(to: .now) })
    }

    /// Decides whether a line is written now.
    ///
    /// - Returns: the number of lines of this code that were omitted since the last one; nil if this line is omitted
    ///   too.
    @inline(never)
    func admit(_ code: String) -> Int? {
        let second = now().components.seconds
        return states.withLock { states in
            if var state = states[code], state.second == second {
                state.omitted += 1
                states[code] = state
                return nil
            }
            if states.count >= Self.maximumCodes { states = [:] }
            return states.updateValue(State(second: second, omitted: 0), forKey: code)?.omitted ?? 0
        }
    }
}
