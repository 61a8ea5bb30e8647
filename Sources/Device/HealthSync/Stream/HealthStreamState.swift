import Foundation

/// What is kept of a stream from one process to the next: how far its store has everything.
///
/// Times are seconds since 1970-01-01T00:00:00Z.
public struct HealthStreamState: Sendable, Hashable {
    /// The store durably has all changes before it. Nil before the stream began, and where the source has no changes yet.
    public internal(set) var anchor: HealthAnchor?
    /// When the stream began; nil before. What was there then comes as history, what is written later by the anchor.
    public internal(set) var began: Double?
    /// The samples behind the anchor that are settled already, while others among them are not.
    var settled: Set<UUID> = []
    /// Changes that were read and are not settled.
    var waitingChanges = 0
    /// How far the history is.
    public internal(set) var history = HealthHistory()
    /// What could not be converted, or was refused for good.
    public internal(set) var quarantine = HealthQuarantine()
    /// When the latest sample ended that the store has.
    public internal(set) var lastSample: Double?
    /// The failures of the store since it last took something; nil where it did not fail.
    public internal(set) var hold: HealthStoreHold?

    /// Samples that were read and are not settled, of changes and of history. Nobody counts what was not read.
    public var waiting: Int { waitingChanges + history.waiting }

    /// The state of a stream that has not begun.
    public init() {}

    /// The time to which history goes that goes back so many seconds from the beginning; nil takes all of it.
    func historyLimit(lookBack: Double?) -> Double? { lookBack.flatMap { back in began.map { $0 - back } } }

    /// As many samples are noted as settled behind one place. More only come from a source that does not keep to a limit.
    static let settledLimit = 20_000
}

/// How far the history of a stream is. It is read from the newest sample to the oldest, by the time when samples end.
public struct HealthHistory: Sendable, Hashable {
    /// Everything that ends later is done; nil before the first sample.
    public internal(set) var upTo: Double?
    /// History goes back to this time; nil goes back to the first sample.
    public internal(set) var since: Double?
    /// Whether there is nothing left to read.
    public internal(set) var isDone = false
    /// The samples that end at `upTo` or before and are settled.
    var settled: Set<UUID> = []
    /// Samples that were read and are not settled.
    var waiting = 0

    /// Whether everything is done back to a time; nil asks for the first sample.
    func isDone(to since: Double?) -> Bool {
        guard isDone else { return false }
        guard let own = self.since else { return true }
        return since.map { $0 >= own } ?? false
    }

    /// Goes back further than before; what is done is not read again.
    mutating func extend(to since: Double?) {
        guard let own = self.since, since.map({ $0 < own }) ?? true else { return }
        self.since = since
        isDone = false
    }
}

/// The failures of a store, so that devices neither ask in unison nor before the time that a server named.
public struct HealthStoreHold: Sendable, Hashable {
    /// Failures in a row.
    public internal(set) var failures: Int
    /// A server asked to be left alone until this time (`Retry-After`).
    public internal(set) var notBefore: Double?

    /// Whether the store shall not be asked now. A time that is further away than any server may ask for comes of a clock
    /// that was set back, and does not count.
    func isClosed(at now: Double) -> Bool {
        guard let notBefore else { return false }
        return now < notBefore && notBefore - now <= HealthOutcome.longestDelay
    }
}
