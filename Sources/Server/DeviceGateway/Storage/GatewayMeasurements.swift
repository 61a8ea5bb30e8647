import Core
import FHIR
import Foundation
import Records
import Storage

/// The readings that Observations were made of, inside of the transaction of the caller: what came late, or out of order, has
/// its place among them.
struct GatewayMeasurements {
    /// A reading with the number of the event that brought it. Of two of one time that of the later event counts.
    struct Numbered: Sendable {
        let event: Int64
        let measurement: Measurement
        /// The reading as it is stored.
        let content: String

        /// - Parameter content: as it is stored already; nil for one that came.
        init(event: Int64, measurement: Measurement, content: String? = nil) {
            self.event = event
            self.measurement = measurement
            self.content = content ?? measurement.stored.text()
        }
    }

    /// What is known of an Observation.
    struct Group: Sendable {
        /// Whether there is a record of its id, whoever wrote it.
        var isThere = false
        /// The number of its record; nil where it has no readings.
        var number: Int64?
        /// How often its readings were changed; 0 where there are none.
        var edition: Int64 = 0
        /// When it was last written, in milliseconds since 1970.
        var written: Int64 = 0
        /// How many readings it has.
        var count: Int64 = 0
        /// Whose the record is; nil where it is nobody's.
        var participant: String?
        var measurements: [Numbered] = []
    }

    let transaction: any SQLTransaction

    /// Parameter: the Observation's address.
    static let groupSQL = """
        SELECT o.number, o.edition, o.written_ms, o.value_count, r.subject FROM record r
        LEFT JOIN gateway_observation o ON o.number = r.number WHERE \(RecordAddress.condition)
        """

    /// What is known of Observations, by their ids; without their readings.
    func groups(_ ids: [String]) throws -> [String: Group] {
        let found = try transaction.queries(
            ids.map { id in
                SQLQuery(Self.groupSQL, [RecordAddress.value(type: Observation.resourceType, id: id)])
            })
        var groups: [String: Group] = [:]
        for (id, rows) in zip(ids, found) {
            groups[id] = try rows.first.map { row in
                guard let number = row.integerIfPresent("number") else { return Group(isThere: true) }
                return Group(
                    isThere: true, number: number, edition: try row.integer("edition"),
                    written: try row.integer("written_ms"), count: try row.integer("value_count"),
                    participant: row.textIfPresent("subject"))
            }
        }
        return groups
    }

    /// The readings of an Observation, in the order of their times.
    ///
    /// - Parameters:
    ///   - number: that of the Observation's record.
    ///   - participant: whose it is.
    func readings(of number: Int64, _ participant: String?) throws -> [Numbered] {
        try transaction.query(Self.readingsSQL, [SQLValue(number)]).compactMap { row in
            let content = try row.text("content")
            let time = MeasurementTime(ticks: try row.integer("occurrence"))
            guard let json = JSON(reading: content.utf8),
                let measurement = Measurement(stored: json, at: time, of: participant)
            else { return nil }
            return Numbered(event: try row.integer("event"), measurement: measurement, content: content)
        }
    }

    /// Parameter: the Observation's number.
    static let readingsSQL = """
        SELECT occurrence, event, content FROM gateway_measurement WHERE observation = ? ORDER BY occurrence
        """

    /// The readings that an Observation was just made of.
    struct Note {
        /// The number of the Observation's record.
        let number: Int64
        let work: ObservationWork

        /// How often its readings were changed before.
        var edition: Int64 { work.bucket.known.edition }
        var isNew: Bool { work.bucket.known.number == nil }
    }

    /// Notes the readings that Observations were just made of.
    func note(_ notes: [Note], at now: Int64) throws {
        try noteNew(notes.filter(\.isNew), at: now)
        try change(notes.filter { !$0.isNew }, at: now)
    }

    private func noteNew(_ notes: [Note], at now: Int64) throws {
        guard !notes.isEmpty else { return }
        var observations = try transaction.inserter(ObservationRow.insertion)
        var readings = try transaction.inserter(ReadingRow.insertion)
        for note in notes {
            try observations.add(ObservationRow(note: note, at: now))
            for reading in note.work.made.noted {
                try readings.add(ReadingRow(observation: note.number, reading: reading))
            }
        }
        try observations.flush()
        try readings.flush()
    }

    private func change(_ notes: [Note], at now: Int64) throws {
        guard !notes.isEmpty else { return }
        _ = try transaction.queries(
            notes.map { note in
                SQLQuery(
                    "UPDATE gateway_observation SET edition = ?, value_count = ?, written_ms = ? WHERE number = ?",
                    [
                        SQLValue(note.edition + 1), SQLValue(note.work.made.count), SQLValue(now),
                        SQLValue(note.number),
                    ])
            })
        var readings = try transaction.inserter(ReadingRow.replacement)
        for note in notes {
            for reading in note.work.made.noted {
                try readings.add(ReadingRow(observation: note.number, reading: reading))
            }
        }
        try readings.flush()
    }

    /// Counts what was recorded.
    func count(measurements: Int, observations: Int, refused: Int) throws {
        try transaction.execute(
            """
            UPDATE gateway_total SET measurements = measurements + ?, observations = observations + ?,
            refused = refused + ? WHERE id = 1
            """, [SQLValue(measurements), SQLValue(observations), SQLValue(refused)])
    }
}

private struct ObservationRow {
    let note: GatewayMeasurements.Note
    let at: Int64

    static let insertion = SQLInsertion<ObservationRow, Void>(
        into: "gateway_observation",
        columns: [
            SQLColumn("number") { SQLValue($0.note.number) },
            SQLColumn("edition") { _ in .integer(1) }, SQLColumn("value_count") { SQLValue($0.note.work.made.count) },
            SQLColumn("written_ms") { SQLValue($0.at) },
        ])
}

private struct ReadingRow {
    let observation: Int64
    let reading: GatewayMeasurements.Numbered

    private static let columns: [SQLColumn<ReadingRow>] = [
        SQLColumn("observation") { SQLValue($0.observation) },
        SQLColumn("occurrence") { SQLValue($0.reading.measurement.occurrence.ticks) },
        SQLColumn("event") { SQLValue($0.reading.event) },
        SQLColumn("content") { .text($0.reading.content) },
    ]

    /// Of an Observation that has none yet.
    static let insertion = SQLInsertion<ReadingRow, Void>(into: "gateway_measurement", columns: columns)
    static let replacement = SQLInsertion<ReadingRow, Void>(
        into: "gateway_measurement", onConflict: .replaces(key: ["observation", "occurrence"]), columns: columns)
}
