import FHIR
import FHIRSearch
import Storage

/// Collects the changes of one transaction to the summary of streams, and writes them at its end: a load of thousands
/// of records then changes one row for each type.
package struct StreamWriter {
    package struct Key: Hashable, Comparable {
        let subject: String
        let stream: String

        package static func < (one: Key, other: Key) -> Bool {
            (one.subject, one.stream) < (other.subject, other.stream)
        }
    }

    private struct Change {
        var first: Int64?
        var last: Int64?
        var received: Int64
        var total: Int64
    }

    private var changes: [Key: Change] = [:]

    /// Records that a resource is stored, or was received once more.
    ///
    /// - Parameter isAdded: whether it is new.
    mutating func came(_ record: NewRecord, at received: Int64, isAdded: Bool) {
        came(record.stream, time: record.time, at: received, isAdded: isAdded)
    }

    /// Records a resource whose stream is known; does nothing for one without a stream.
    mutating func came(_ key: Key?, time: SearchPeriod?, at received: Int64, isAdded: Bool) {
        guard let key else { return }
        var change = changes[key] ?? Change(first: nil, last: nil, received: received, total: 0)
        if let low = time?.low, low > .min { change.first = min(change.first ?? low, low) }
        if let high = time?.high, high < .max { change.last = max(change.last ?? high, high) }
        change.received = max(change.received, received)
        if isAdded { change.total += 1 }
        changes[key] = change
    }

    /// Records that a resource is deleted.
    mutating func went(_ key: Key?) {
        guard let key else { return }
        // A deletion is not activity of the stream: without other changes the row keeps its time of receipt.
        changes[key, default: Change(first: nil, last: nil, received: .min, total: 0)].total -= 1
    }

    /// Writes the changes in a fixed order, so that two writers never wait for each other.
    mutating func finish(in transaction: any SQLTransaction) throws {
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
            if change.received > .min {
                try transaction.execute(
                    Self.addingSQL,
                    [
                        SQLValue(key.subject), SQLValue(key.stream), SQLValue(change.first), SQLValue(change.last),
                        SQLValue(change.received), SQLValue(change.total),
                    ])
            } else {
                try transaction.execute(
                    "UPDATE record_stream SET total = total + ? WHERE subject = ? AND stream = ?",
                    [SQLValue(change.total), SQLValue(key.subject), SQLValue(key.stream)])
            }
            // Records that were added and deleted in one transaction may have created the row just now.
            if change.total <= 0 {
                try transaction.execute(
                    "DELETE FROM record_stream WHERE subject = ? AND stream = ? AND total <= 0",
                    [SQLValue(key.subject), SQLValue(key.stream)])
            }
        }
        changes = [:]
    }

    /// Returns the stream of a stored record that is not deleted; nil where it has none.
    static func key(ofRecord number: Int64, in transaction: any SQLTransaction) throws -> Key? {
        guard
            let row = try transaction.first(
                keySQL, [SQLValue(number), SQLValue(CodeSystemURL.healthKit)]),
            let subject = row.textIfPresent("subject"), let stream = row.textIfPresent("stream")
        else { return nil }
        return Key(subject: subject, stream: stream)
    }

    /// Parameters: the number of the record, the system of the codes.
    static let keySQL = """
        SELECT r.subject, min(c.code) AS stream FROM record r JOIN record_term t ON t.number = r.number
        JOIN search_term c ON c.number = t.term
        WHERE r.number = ? AND c.type = 'Observation' AND c.parameter = 'code' AND c.system = ? AND c.code <> ''
        GROUP BY r.subject
        """
    /// Parameters: subject, stream, first, last, received, the number of added records.
    private static let addingSQL = """
        INSERT INTO record_stream (subject, stream, first_ms, last_ms, received_ms, total) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (subject, stream) DO UPDATE SET
            first_ms = CASE WHEN excluded.first_ms < record_stream.first_ms OR record_stream.first_ms IS NULL
                THEN excluded.first_ms ELSE record_stream.first_ms END,
            last_ms = CASE WHEN excluded.last_ms > record_stream.last_ms OR record_stream.last_ms IS NULL
                THEN excluded.last_ms ELSE record_stream.last_ms END,
            received_ms = CASE WHEN excluded.received_ms > record_stream.received_ms
                THEN excluded.received_ms ELSE record_stream.received_ms END,
            total = record_stream.total + excluded.total
        """
}

extension StreamWriter.Key {
    /// Creates the key of an Observation's stream from the entries of its code; nil without a participant or a health
    /// type.
    package init?(_ entries: [SearchEntry], subject: String?) {
        guard let subject else { return nil }
        var first: String?
        for case .term(let term) in entries
        where term.parameter == "code" && !term.code.isEmpty && term.system == CodeSystemURL.healthKit {
            first = min(first ?? term.code, term.code)
        }
        guard let first else { return nil }
        self.init(subject: subject, stream: first)
    }
}

extension NewRecord {
    /// The stream of an Observation of one participant with a health type; nil for all others.
    package var stream: StreamWriter.Key? {
        type == Observation.resourceType ? StreamWriter.Key(entries, subject: subject) : nil
    }
}
