import Foundation
import Storage

/// Stores many resources of one type about one participant: as ``RecordStore/put(_:content:original:id:provenance:at:in:)``
/// does with each, but only those whose id is new, and with statements that are prepared once.
///
/// It lives inside one transaction, which has nobody else's insertions in between.
public struct RecordInsertion {
    private let record: any SQLStatement
    private let version: any SQLStatement
    private let token: any SQLStatement
    private let date: any SQLStatement
    private var next: Int64

    /// - Parameters:
    ///   - type: the resources' type.
    ///   - subject: the Patient's id that they name as theirs.
    public init(
        type: String, subject: String, provenance: RecordProvenance, at: Date, in transaction: any SQLTransaction
    ) throws {
        let largest = try transaction.first("SELECT max(number) AS number FROM record")
        next = (largest?.integerIfPresent("number") ?? 0) + 1
        record = try transaction.prepare(
            """
            INSERT INTO record (number, id, type, version, subject, updated_ms, received_ms, received_number)
            VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT (type, id) DO NOTHING
            """)
        try record.bind(
            [SQLValue(type), SQLValue(subject), SQLValue(Milliseconds.of(at))] + provenance.order.columns, from: 3)
        version = try transaction.prepare(
            """
            INSERT INTO record_version (number, id, content, digest, type, version, last_updated, submission_id,
                client_id, key_id, received_at, received_number) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
            """)
        try version.bind(
            [
                SQLValue(type), SQLValue(at), SQLValue(provenance.submissionID), SQLValue(provenance.clientID),
                SQLValue(provenance.keyID), SQLValue(provenance.receivedAt), SQLValue(provenance.number),
            ], from: 5)
        token = try transaction.prepare(
            "INSERT INTO record_token (number, parameter, system, code, type) VALUES (?, ?, ?, ?, ?)")
        try token.bind(SQLValue(type), at: 5)
        date = try transaction.prepare("INSERT INTO record_date (number, low_ms, high_ms, type) VALUES (?, ?, ?, ?)")
        try date.bind(SQLValue(type), at: 4)
    }

    /// Stores a resource as the first version of its id.
    ///
    /// - Returns: the number of its row; nil where something has the id already, then nothing was done.
    public mutating func insert(_ new: NewRecord) throws -> Int64? {
        let inserted = next
        let number = SQLValue.integer(inserted)
        let id = SQLValue.text(new.id)
        try record.bind(number, at: 1)
        try record.bind(id, at: 2)
        guard try record.run() > 0 else { return nil }
        next += 1
        try version.bind(number, at: 1)
        try version.bind(id, at: 2)
        try version.bind(.blob(new.content), at: 3)
        try version.bind(.text(new.digest), at: 4)
        try version.run()
        if !new.tokens.isEmpty {
            try token.bind(number, at: 1)
            for found in new.tokens {
                try token.bind(.text(found.parameter), at: 2)
                try token.bind(.text(found.system), at: 3)
                try token.bind(.text(found.code), at: 4)
                try token.run()
            }
        }
        if let range = new.date {
            try date.bind(number, at: 1)
            try date.bind(.integer(range.low), at: 2)
            try date.bind(.integer(range.high), at: 3)
            try date.run()
        }
        return inserted
    }
}

extension RecordStore {
    /// When a submission came; nil where nothing of it is stored.
    public func received(submissionID: String, in transaction: any SQLTransaction) throws -> Date? {
        try transaction.first(
            "SELECT received_at FROM record_version WHERE submission_id = ? LIMIT 1", [SQLValue(submissionID)]
        )?.dateIfPresent("received_at")
    }
}
