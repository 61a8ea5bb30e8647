import Foundation
import Synchronization

/// Those whose tokens were looked up in the last seconds, by the digest of the token.
///
/// It spares who sends or asks much a look into the database of its own for each request. What it answers may have been taken
/// back meanwhile, so only who looks again before anything comes of it may ask it. The number of entries is bounded.
final class RecentTokens<Holder: Sendable>: Sendable {
    /// Seconds for which an answer is taken again.
    static var lifetime: TimeInterval { 10 }
    static var mostEntries: Int { 4096 }

    private struct Entry {
        let holder: Holder
        let seen: Date
        let until: Date
    }

    private let entries = Mutex<[String: Entry]>([:])

    var count: Int { @inline(never) get { entries.withLock { $0.count } } }

    /// Who has the token, if it was looked up a short time ago and has not expired.
    @inline(never)
    func holder(digest: String, now: Date) -> Holder? {
        entries.withLock { entries in
            guard let entry = entries[digest] else { return nil }
            // A clock that was set back says nothing about how long ago it was.
            guard entry.seen <= now, now < entry.until else {
                entries[digest] = nil
                return nil
            }
            return entry.holder
        }
    }

    /// Keeps what the database said.
    ///
    /// - Parameter expiresAt: nil for a token that has no end of its own.
    @inline(never)
    func keep(_ holder: Holder, digest: String, expiresAt: Date?, now: Date) {
        entries.withLock { entries in
            if entries.count >= Self.mostEntries { entries = entries.filter { now < $0.value.until } }
            if entries.count >= Self.mostEntries { entries = [:] }
            let until = min(expiresAt ?? .distantFuture, now.addingTimeInterval(Self.lifetime))
            entries[digest] = Entry(holder: holder, seen: now, until: until)
        }
    }
}
