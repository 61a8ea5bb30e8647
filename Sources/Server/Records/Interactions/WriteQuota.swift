import Foundation
import Storage
import Trust

/// The bytes that an app may write of one patient's records in a day, in UTC.
struct WriteQuota: Sendable {
    /// Maximum bytes of an app, a patient and a day.
    let bytes: Int64

    private static let secondsOfDay = 86_400

    /// Counts what a request writes, as part of its transaction.
    ///
    /// - Throws: ``WriteRefusal`` `write-quota` where it is more than the day has left; then nothing is counted.
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
            // The first of a day removes the days before.
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
