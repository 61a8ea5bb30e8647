import AccessPolicy
import Foundation
import Storage

/// The limit on the bytes that an app writes to one patient's records on a day in UTC.
struct WriteQuota: Sendable {
    /// Maximum number of bytes of an app for a patient on a day.
    let bytes: Int64

    private static let secondsOfDay = 86_400

    /// Counts the bytes that a request writes, in its transaction.
    ///
    /// - Throws: ``WriteRefusal`` `write-quota` where they exceed the rest of the day; then nothing is counted.
    func count(
        _ writes: [WriteExecution.Ready], by grant: AccessGrant, at now: Date, in transaction: any SQLTransaction
    ) throws {
        var written: [String: (bytes: Int, target: Target)] = [:]
        for ready in writes {
            guard let record = ready.record else { continue }
            written[record.subject ?? "", default: (0, ready.write.target)].bytes += record.content.count
        }
        let seconds = Int(now.timeIntervalSince1970.rounded(.down))
        let day = SQLValue(Int64(seconds / Self.secondsOfDay))
        for (subject, part) in written.sorted(by: { $0.key < $1.key }) {
            let added = Int64(part.bytes)
            let rows = try transaction.query(
                Self.sql, [day, SQLValue(grant.client ?? grant.actor.id), SQLValue(subject), SQLValue(added)])
            let sum = try rows.first?.integer("bytes") ?? added
            // The first write of a day removes the rows of earlier days.
            if sum == added { try transaction.execute("DELETE FROM written_bytes WHERE day < ?", [day]) }
            guard sum <= bytes else {
                let left = Self.secondsOfDay - seconds % Self.secondsOfDay
                throw WriteRefusal(.writeQuota(retryAfter: left), part.target)
            }
        }
    }

    /// Parameters: day, client, subject, bytes.
    static let sql = """
        INSERT INTO written_bytes (day, client, subject, bytes) VALUES (?, ?, ?, ?)
        ON CONFLICT (day, client, subject) DO UPDATE SET bytes = written_bytes.bytes + excluded.bytes RETURNING bytes
        """
}
