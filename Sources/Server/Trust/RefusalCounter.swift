import Foundation
import Storage

/// Counts by the minute what was refused, by its code: who floods a server with wrong tokens must not make it write a row
/// for each.
///
/// Counts are kept in memory and written together, at most once in some seconds; what a crash loses of them is seconds.
public actor RefusalCounter {
    private let database: any SQLDatabase
    private let clock: @Sendable () -> Date
    private let interval: TimeInterval
    private var counts: [Key: Int] = [:]
    private var writtenAt: Date?

    private struct Key: Hashable {
        let minute: String
        let code: String
    }

    /// - Parameter interval: seconds between two writes.
    public init(database: any SQLDatabase, interval: TimeInterval = 5, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.interval = interval
        self.clock = clock
    }

    /// Counts a refusal by its stable code.
    public func count(_ code: String) async {
        let now = clock()
        let minute = String(SQLTimestamp.text(now).prefix(16))
        counts[Key(minute: minute, code: code), default: 0] += 1
        if let writtenAt, abs(now.timeIntervalSince(writtenAt)) < interval { return }
        writtenAt = now
        await flush()
    }

    /// Writes what is counted. A store that cannot be written keeps it for the next time.
    public func flush() async {
        let waiting = counts
        guard !waiting.isEmpty else { return }
        counts = [:]
        do {
            try await database.write { transaction in
                for (key, count) in waiting {
                    try transaction.execute(
                        """
                        INSERT INTO refusal_count (minute, code, count) VALUES (?, ?, ?)
                        ON CONFLICT (minute, code) DO UPDATE SET count = refusal_count.count + excluded.count
                        """, [SQLValue(key.minute), SQLValue(key.code), SQLValue(count)])
                }
            }
        } catch {
            // Codes are ours and minutes pass slowly: this stays small.
            counts.merge(waiting, uniquingKeysWith: +)
        }
    }
}
