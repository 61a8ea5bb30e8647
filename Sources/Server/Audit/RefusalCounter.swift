import Foundation
import Storage

/// Counts refusals by minute and code, so that a flood of wrong tokens does not make the server write a row for each.
///
/// Counts are collected in memory and written together, no more often than every `interval` seconds; a crash loses the
/// counts of these seconds.
package actor RefusalCounter {
    private let database: any SQLDatabase
    private let clock: @Sendable () -> Date
    private let interval: TimeInterval
    private var counts: [Key: Int] = [:]
    private var writtenAt: Date?

    private struct Key: Hashable {
        let minute: String
        let code: String
    }

    /// - Parameter interval: minimum time between two writes in seconds.
    package init(database: any SQLDatabase, interval: TimeInterval = 5, clock: @escaping @Sendable () -> Date) {
        self.database = database
        self.interval = interval
        self.clock = clock
    }

    /// Counts a refusal by its stable code.
    package func count(_ code: String) async {
        let now = clock()
        let minute = String(SQLTimestamp.text(now).prefix(16))
        counts[Key(minute: minute, code: code), default: 0] += 1
        if let writtenAt, abs(now.timeIntervalSince(writtenAt)) < interval { return }
        writtenAt = now
        await flush()
    }

    /// Writes the counts. If the store cannot be written, they are kept for the next attempt.
    package func flush() async {
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
            // The number of keys stays small: the codes are fixed, and a minute adds few keys.
            counts.merge(waiting, uniquingKeysWith: +)
        }
    }
}
