import Foundation
import Synchronization

/// Limits the log to one line for each code in each second: a flood of refusals neither fills the disk nor hides what else is
/// logged.
final class LogThrottle: Sendable {
    private struct State {
        var second: Int64
        /// Lines that were left out since the last one that was written.
        var omitted: Int
    }

    /// Codes are the server's own, so this bound is never reached by a client.
    private static let maximumCodes = 1_024

    private let now: @Sendable () -> Duration
    private let states = Mutex<[String: State]>([:])

    /// - Parameter now: time since any fixed instant, by a clock that is never set back.
    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// A throttle by the system's steady clock.
    convenience init() {
        let start = ContinuousClock.now
        self.init(now: { start.duration(to: .now) })
    }

    /// Whether a line is to be written now.
    ///
    /// - Returns: the lines of this code that were left out since the last one; nil where this one is left out too.
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
