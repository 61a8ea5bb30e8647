import Foundation

/// The storage of the streams' progress: the state of each stream, and the index of its samples.
///
/// The index holds the resource of each sample that was offered to a store, because HealthKit reports only the
/// identifier of a deletion. It has an entry for each sample, so it grows with the health data; an implementation keeps
/// it on disk.
///
/// A call that returns has made its whole change durable. A call that throws has changed nothing, or everything. The
/// code of a `CodedError` that is thrown is reported.
public protocol HealthSyncStorage: Sendable {
    /// Returns the saved state; nil if there is none.
    func state(of stream: HealthStream) async throws -> [UInt8]?
    /// Saves a state, which replaces the last one.
    func save(_ state: [UInt8], of stream: HealthStream) async throws
    /// Returns the index entries of samples; samples without an entry are left out.
    func known(_ uuids: [UUID], of stream: HealthStream) async throws -> [UUID: IndexedSample]
    /// Records the resources of samples. Each sample is named once; the new entry replaces an earlier one.
    func record(_ entries: [IndexEntry], of stream: HealthStream) async throws
    /// Removes samples from the index. Absent ones are no error.
    func forget(_ uuids: [UUID], of stream: HealthStream) async throws
    /// Removes a stream: first its state, then its index, because deletions are unknown to an anchor without an index.
    func erase(_ stream: HealthStream) async throws
}

/// The environment of the synchronization: clock, randomness, waiting and power mode.
public struct HealthSyncEnvironment: Sendable {
    /// The current time, in seconds since 1970.
    public var now: @Sendable () -> Double
    /// A random number in 0..<1.
    public var random: @Sendable () -> Double
    /// Waits for a number of seconds, or until the task is cancelled.
    public var sleep: @Sendable (Double) async -> Void
    /// Whether the phone is in Low Power Mode.
    public var isLowPower: @Sendable () -> Bool

    /// Creates an environment.
    public init(
        now: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Double) async -> Void, isLowPower: @escaping @Sendable () -> Bool
    ) {
        self.now = now
        self.random = random
        self.sleep = sleep
        self.isLowPower = isLowPower
    }

    /// Returns the environment with the system's clock and randomness.
    public static func system(
        isLowPower: @escaping @Sendable () -> Bool = { false }
    ) -> HealthSyncEnvironment {
        HealthSyncEnvironment(
            now: { Date().timeIntervalSince1970 }, random: { Double.random(in: 0..<1) },
            sleep: { seconds in try? await Task<Never, Never>.sleep(nanoseconds: UInt64(max(seconds, 0) * 1e9)) },
            isLowPower: isLowPower)
    }
}
