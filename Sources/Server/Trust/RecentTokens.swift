import Foundation
import Synchronization

/// The devices whose tokens were looked up in the last seconds, by the digest of the token.
///
/// It spares a device that sends much a look into the database for each submission. What it answers may have been taken
/// back meanwhile, so only who looks again before anything comes of it may ask it. The number of entries is bounded.
final class RecentTokens: Sendable {
    /// Seconds for which an answer is taken again.
    static let lifetime: TimeInterval = 10
    static let mostEntries = 4096

    private struct Entry {
        let device: Actor
        let seen: Date
        let until: Date
    }

    private let entries = Mutex<[String: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// The device, if its token was looked up a short time ago and has not expired.
    func device(digest: String, now: Date) -> Actor? {
        entries.withLock { entries in
            guard let entry = entries[digest] else { return nil }
            // A clock that was set back says nothing about how long ago it was.
            guard entry.seen <= now, now < entry.until else {
                entries[digest] = nil
                return nil
            }
            return entry.device
        }
    }

    /// Keeps what the database said.
    func keep(_ device: Actor, digest: String, expiresAt: Date, now: Date) {
        entries.withLock { entries in
            if entries.count >= Self.mostEntries { entries = entries.filter { now < $0.value.until } }
            if entries.count >= Self.mostEntries { entries = [:] }
            let until = min(expiresAt, now.addingTimeInterval(Self.lifetime))
            entries[digest] = Entry(device: device, seen: now, until: until)
        }
    }
}
