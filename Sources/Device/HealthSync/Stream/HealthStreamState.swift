import Foundation

/// The progress of a stream, saved between processes.
///
/// Times are seconds since 1970-01-01T00:00:00Z.
public struct HealthStreamState: Sendable, Hashable {
    /// The anchor up to which the store durably has all changes. Nil before the stream begins, and while the source has
    /// no changes.
    public internal(set) var anchor: HealthAnchor?
    /// The time when the stream began; nil before. Samples that existed then are history; samples that are written
    /// later are read by the anchor.
    public internal(set) var began: Double?
    /// The settled samples after the anchor, while others after it are not settled.
    var settled: Set<UUID> = []
    /// The number of changes that were read and are not settled.
    var waitingChanges = 0
    /// The progress of the history.
    public internal(set) var history = HealthHistory()
    /// The samples that could not be converted or were refused for good.
    public internal(set) var quarantine = HealthQuarantine()
    /// The end of the latest sample that the store has.
    public internal(set) var lastSample: Double?
    /// The failures of the store since its last success; nil if there are none.
    public internal(set) var hold: HealthStoreHold?

    /// Samples that were read and are not settled, of changes and of history. Samples that were not read are not
    /// counted.
    public var waiting: Int { waitingChanges + history.waiting }

    /// Creates the state of a stream that has not begun.
    public init() {}

    /// Returns the earliest time of the history for a look-back in seconds from the beginning; nil takes all of it.
    func historyLimit(lookBack: Double?) -> Double? { lookBack.flatMap { back in began.map { $0 - back } } }

    /// Maximum number of samples recorded as settled after one anchor. Only a source that exceeds its limit has more.
    static let settledLimit = 20_000
}

/// The progress of a stream's history. It is read from the newest sample to the oldest, by the end of the samples.
public struct HealthHistory: Sendable, Hashable {
    /// All samples that end later are done; nil before the first sample.
    public internal(set) var upTo: Double?
    /// The earliest time of the history; nil goes back to the first sample.
    public internal(set) var since: Double?
    /// Whether nothing is left to read.
    public internal(set) var isDone = false
    /// The settled samples that end at `upTo` or before.
    var settled: Set<UUID> = []
    /// The number of samples that were read and are not settled.
    var waiting = 0

    /// Returns whether everything back to a time is done; nil means the first sample.
    func isDone(to since: Double?) -> Bool {
        guard isDone else { return false }
        guard let own = self.since else { return true }
        return since.map { $0 >= own } ?? false
    }

    /// Extends the history to an earlier time. Finished parts are not read again.
    mutating func extend(to since: Double?) {
        guard let own = self.since, since.map({ $0 < own }) ?? true else { return }
        self.since = since
        isDone = false
    }
}

/// The failures of a store. They keep devices from calling in unison and before the time that a server named.
public struct HealthStoreHold: Sendable, Hashable {
    /// The number of consecutive failures.
    public internal(set) var failures: Int
    /// The time before which the server does not want to be called (`Retry-After`).
    public internal(set) var notBefore: Double?

    /// Returns whether the store must not be called now. A time beyond the maximum delay results from a clock that was
    /// set back, and is ignored.
    func isClosed(at now: Double) -> Bool {
        guard let notBefore else { return false }
        return now < notBefore && notBefore - now <= HealthOutcome.longestDelay
    }
}
