import Foundation

/// How long a test waits for what is to come: only something that hangs reaches it. All tests run beside each other on
/// few threads, so that one may stand still for minutes.
public enum Patience {
    public static let seconds: Double = 600

    /// The moment at which a test that begins to wait now gives up.
    public static var deadline: ContinuousClock.Instant { .now + .seconds(seconds) }
}
