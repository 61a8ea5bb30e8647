import Foundation
import Storage

/// The summary of a participant's Observations of one HealthKit type. It is updated in the transactions that store
/// them, so that a search for silent streams reads no record.
package struct RecordStream: Sendable, Hashable {
    /// The Patient's id.
    package let participant: String
    /// HealthKit's identifier of the type.
    package let type: String
    /// The start of the earliest Observation that was received; nil where none has a time.
    package let first: Date?
    /// The end of the latest Observation that was received, even if it was deleted since; nil where none has a time.
    package let last: Date?
    /// The time of receipt of the last one.
    package let received: Date
    /// The number of Observations.
    package let count: Int

    /// Returns all summaries, by participant and type.
    package static func all(in transaction: any SQLTransaction) throws -> [RecordStream] {
        func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
        return try transaction.query(allSQL).map { row in
            RecordStream(
                participant: try row.text("subject"), type: try row.text("stream"),
                first: row.integerIfPresent("first_ms").map(date),
                // The column contains the first millisecond after the end.
                last: row.integerIfPresent("last_ms").map { date($0 - 1) },
                received: date(try row.integer("received_ms")), count: Int(try row.integer("total")))
        }
    }

    static let allSQL = """
        SELECT subject, stream, first_ms, last_ms, received_ms, total FROM record_stream ORDER BY subject, stream
        """
}
