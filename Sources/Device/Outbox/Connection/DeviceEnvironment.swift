import Foundation

/// The environment that sending needs beside disk and network: time, waiting and random numbers.
public struct DeviceEnvironment: Sendable {
    /// The time.
    public var now: @Sendable () -> Date
    /// Waits so many seconds; throws when the task is cancelled.
    public var sleep: @Sendable (Double) async throws -> Void
    /// A random number from 0 to 1.
    public var random: @Sendable () -> Double

    /// Puts an environment together; without arguments the system's.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await DeviceEnvironment.pause($0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// Waits so many seconds, at most a day: a number that no duration holds would trap. Throws when the task is
    /// cancelled.
    public static func pause(_ seconds: Double) async throws {
        try await Task.sleep(for: .seconds(ServerDelay.clamped(seconds)))
    }
}
