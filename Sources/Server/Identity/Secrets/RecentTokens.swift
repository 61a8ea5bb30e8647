import Foundation
import Synchronization

/// Cache of the holders of tokens that were looked up within the last seconds, by the digest of the token.
///
/// It saves a database read for each request of a frequent caller. A cached token may have been revoked meanwhile, so
/// only callers that check it again before any effect may use it. The number of entries is limited.
package final class RecentTokens<Holder: Sendable>: Sendable {
    /// Maximum age of an entry in seconds.
    package static var lifetime: TimeInterval { 10 }
    /// Maximum number of entries.
    package static var maximumEntries: Int { 4096 }

    private struct Entry {
        let holder: Holder
        let seen: Date
        let until: Date
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let lifetime: TimeInterval
    private let limit: Int

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - lifetime: maximum age of an entry in seconds. It may be longer for callers that compare an entry with the store
    ///     before they use it.
    ///   - limit: maximum number of entries.
    package init(
        lifetime: TimeInterval = RecentTokens<Holder>.lifetime, limit: Int = RecentTokens<Holder>.maximumEntries
    ) {
        self.lifetime = lifetime
        self.limit = limit
    }

    /// Number of entries.
    package var count: Int { @inline(never) get { entries.withLock { $0.count } } }

    /// Returns the holder of a token if it was looked up recently and has not expired.
    @inline(never)
    package func holder(digest: String, now: Date) -> Holder? {
        entries.withLock { entries in
            guard let entry = entries[digest] else { return nil }
            // If the clock was set back, the age of the entry is unknown.
            guard entry.seen <= now, now < entry.until else {
                entries[digest] = nil
                return nil
            }
            return entry.holder
        }
    }

    /// Caches the result of a lookup.
    ///
    /// - Parameter expiresAt: nil for a token that does not expire by itself.
    @inline(never)
    package func keep(_ holder: Holder, digest: String, expiresAt: Date?, now: Date) {
        entries.withLock { entries in
            if entries.count >= limit { entries = entries.filter { now < $0.value.until } }
            if entries.count >= limit { entries = [:] }
            let until = min(expiresAt ?? .distantFuture, now.addingTimeInterval(lifetime))
            entries[digest] = Entry(holder: holder, seen: now, until: until)
        }
    }
}
