import Foundation

/// Time limit of waits in tests: only a hanging test reaches it. All tests run concurrently on few threads, so that one
/// may make no progress for minutes.
public enum Patience {
    public static let seconds: Double = 600

    /// The instant at which a test that begins to wait now gives up.
    public static var deadline: ContinuousClock.Instant { .now + .seconds(seconds) }
}
