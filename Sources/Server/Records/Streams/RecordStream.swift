import Foundation
import Storage

/// A participant's Observations of one type of HealthKit, as far as a summary tells of them. It is kept in the transactions
/// that store them, so that who looks for silent streams reads no record.
public struct RecordStream: Sendable, Hashable {
    /// The Patient's id.
    public let participant: String
    /// HealthKit's identifier of the type.
    public let type: String
    /// When the first one that came begins; nil where none says when.
    public let first: Date?
    /// When the last one that came ends, whether it is still there or not; nil where none says when.
    public let last: Date?
    /// When the last one came.
    public let received: Date
    /// How many there are.
    public let count: Int

    /// All of them, by participants and types.
    public static func all(in transaction: any SQLTransaction) throws -> [RecordStream] {
        func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
        return try transaction.query(allSQL).map { row in
            RecordStream(
                participant: try row.text("subject"), type: try row.text("stream"),
                first: row.integerIfPresent("first_ms").map(date),
                // The first millisecond past it is what is stored.
                last: row.integerIfPresent("last_ms").map { date($0 - 1) },
                received: date(try row.integer("received_ms")), count: Int(try row.integer("total")))
        }
    }

    static let allSQL = """
        SELECT subject, stream, first_ms, last_ms, received_ms, total FROM record_stream ORDER BY subject, stream
        """
}
