import Foundation

/// Where the progress of streams is kept: of each its state, and the index of its samples.
///
/// The index holds, for each sample that a store was offered, which resource it is: HealthKit tells of a deletion the
/// identifier alone. It has an entry for each sample, so it grows with the health data; an implementation keeps it on disk.
///
/// A call that returns has made its change durable, whole. A call that throws has changed nothing, or all of it. What is
/// thrown may be a `CodedError`, whose code is told.
public protocol HealthSyncStorage: Sendable {
    /// The state as it was saved; nil where there is none.
    func state(of stream: HealthStream) async throws -> [UInt8]?
    /// Saves a state in the place of the last one.
    func save(_ state: [UInt8], of stream: HealthStream) async throws
    /// What the index knows of samples; those that it does not know are left out.
    func known(_ uuids: [UUID], of stream: HealthStream) async throws -> [UUID: IndexedSample]
    /// Notes which resources samples are. Each is named once; what was noted of it before is replaced.
    func note(_ notes: [HealthNote], of stream: HealthStream) async throws
    /// Forgets samples of the index; those that are not there are no error.
    func forget(_ uuids: [UUID], of stream: HealthStream) async throws
    /// Forgets a stream: its state, and then its index, as an anchor without an index would leave deletions unknown.
    func erase(_ stream: HealthStream) async throws
}

/// What the synchronisation must be told of the world.
public struct HealthSyncEnvironment: Sendable {
    /// The present, in seconds since 1970.
    public var now: @Sendable () -> Double
    /// A random number in 0..<1.
    public var random: @Sendable () -> Double
    /// Waits so many seconds, or until the task is cancelled.
    public var sleep: @Sendable (Double) async -> Void
    /// Whether the phone saves power.
    public var isLowPower: @Sendable () -> Bool

    /// Makes an environment of its parts.
    public init(
        now: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Double) async -> Void, isLowPower: @escaping @Sendable () -> Bool
    ) {
        self.now = now
        self.random = random
        self.sleep = sleep
        self.isLowPower = isLowPower
    }

    /// The system's clock and randomness.
    public static func system(
        isLowPower: @escaping @Sendable () -> Bool = { false }
    ) -> HealthSyncEnvironment {
        HealthSyncEnvironment(
            now: { Date().timeIntervalSince1970 }, random: { Double.random(in: 0..<1) },
            sleep: { seconds in try? await Task<Never, Never>.sleep(nanoseconds: UInt64(max(seconds, 0) * 1e9)) },
            isLowPower: isLowPower)
    }
}
