import FHIR
import Foundation
import Storage

/// Makes the entries of stored records again, from the contents of their newest versions, some records at a time.
struct SearchReindexing: Sendable {
    /// Maximum number of records in one transaction.
    var count = 256

    /// Processes the next records.
    ///
    /// - Parameter last: the last number of the previous records; 0 for the first records.
    /// - Returns: the last processed number and the number of processed records; nil where there are none.
    func next(after last: Int64, in transaction: any SQLTransaction) throws -> (last: Int64, count: Int)? {
        let rows = try transaction.query(
            Self.rowsSQL, [SQLValue(last), SQLValue(last), SQLValue(count)])
        guard let end = try rows.last?.integer("number") else { return nil }
        var writer = try SearchEntryWriter(in: transaction)
        var streams = StreamWriter()
        for row in rows {
            let number = try row.integer("number")
            let entries = try entries(of: row, in: transaction)
            let former = try StreamWriter.key(ofRecord: number, in: transaction)
            try writer.replace(entries?.entries ?? [], number: number)
            guard let entries else { continue }
            if try row.text("type") == Observation.resourceType {
                let stream = StreamWriter.Key(entries.entries, subject: row.textIfPresent("subject"))
                if stream != former {
                    streams.went(former)
                    streams.came(stream, time: entries.time, at: try row.integer("received_ms"), isAdded: true)
                }
            }
            let (low, high) = (row.integerIfPresent("date_low"), row.integerIfPresent("date_high"))
            guard low != entries.time?.low || high != entries.time?.high else { continue }
            try transaction.execute(
                "UPDATE record SET date_low = ?, date_high = ? WHERE number = ?",
                [SQLValue(entries.time?.low), SQLValue(entries.time?.high), SQLValue(number)])
        }
        try writer.finish()
        try streams.finish(in: transaction)
        return (end, rows.count)
    }

    /// Returns the entries of a record's current version; nil where it is deleted or is not a resource.
    private func entries(of row: SQLRow, in transaction: any SQLTransaction) throws -> SearchEntries? {
        guard try row.integer("deleted") == 0,
            let resource = try? Resource(ContentCodec.content(try row.blob("content"), in: transaction))
        else { return nil }
        return SearchEntries(of: resource, subject: row.textIfPresent("subject"))
    }

    /// PostgreSQL does not derive the bound of one number from that of the other. Parameters: number, number, limit.
    static let rowsSQL = """
        SELECT r.number, r.type, r.subject, r.deleted, r.date_low, r.date_high, r.received_ms, v.content FROM record r
        JOIN record_version v ON v.number = r.number AND v.version = r.version
        WHERE r.number > ? AND v.number > ? ORDER BY r.number LIMIT ?
        """
}
