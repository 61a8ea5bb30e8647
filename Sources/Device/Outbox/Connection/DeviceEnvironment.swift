import Foundation

/// The environment that sending needs in addition to disk and network: time, waiting and random numbers.
public struct DeviceEnvironment: Sendable {
    /// The current time.
    public var now: @Sendable () -> Date
    /// Waits for a number of seconds; throws if the task is cancelled.
    public var sleep: @Sendable (Double) async throws -> Void
    /// A random number from 0 to 1.
    public var random: @Sendable () -> Double

    /// Creates an environment; by default the system's.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await DeviceEnvironment.pause($0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// Waits for a number of seconds, up to a day: a number that exceeds `Duration` would trap. Throws if the task is
    /// cancelled.
    public static func pause(_ seconds: Double) async throws {
        try await Task.sleep(for: .seconds(ServerDelay.clamped(seconds)))
    }
}
