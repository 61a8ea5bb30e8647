import Core
import FHIR
import Foundation
import RecordStorage
import Storage

/// The readings of stored Observations, in the caller's transaction. Readings that arrive late or out of order are
/// inserted among them.
struct GatewayMeasurements {
    /// A reading with the number of its event. Of two readings with one time, that of the later event is used.
    struct Numbered: Sendable {
        let event: Int64
        let measurement: Measurement
        /// The stored form of the reading.
        let content: String

        /// - Parameter content: the stored form; nil for a new reading.
        init(event: Int64, measurement: Measurement, content: String? = nil) {
            self.event = event
            self.measurement = measurement
            self.content = content ?? measurement.stored.text()
        }
    }

    /// The stored state of an Observation.
    struct Group: Sendable {
        /// Whether a record with its id exists, written by any module.
        var isThere = false
        /// The number of its record; nil if it has no readings.
        var number: Int64?
        /// The number of changes of its readings; 0 if there are none.
        var edition: Int64 = 0
        /// The time of the last write, in milliseconds since 1970.
        var written: Int64 = 0
        /// The number of its readings.
        var count: Int64 = 0
        /// The participant of the record; nil if it has none.
        var participant: String?
        var measurements: [Numbered] = []
    }

    let transaction: any SQLTransaction

    /// Parameter: the key of the Observation's record.
    static let groupSQL = """
        SELECT o.number, o.edition, o.written_ms, o.value_count, r.subject FROM record r
        LEFT JOIN gateway_observation o ON o.number = r.number WHERE \(RecordKey.condition)
        """

    /// Returns the stored states of Observations by id, without their readings.
    func groups(_ ids: [String]) throws -> [String: Group] {
        let found = try transaction.queries(
            ids.map { id in
                SQLQuery(Self.groupSQL, [RecordKey.value(type: Observation.resourceType, id: id)])
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

    /// Returns the readings of an Observation, in the order of time.
    ///
    /// - Parameters:
    ///   - number: the number of the Observation's record.
    ///   - participant: the participant of the Observation.
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

    /// The readings from which an Observation was just made.
    struct Change {
        /// The number of the Observation's record.
        let number: Int64
        let work: ObservationWork

        /// The number of earlier changes of its readings.
        var edition: Int64 { work.bucket.known.edition }
        var isNew: Bool { work.bucket.known.number == nil }
    }

    /// Inserts the readings from which Observations were just made.
    func record(_ changes: [Change], at now: Int64) throws {
        try insert(changes.filter(\.isNew), at: now)
        try update(changes.filter { !$0.isNew }, at: now)
    }

    private func insert(_ changes: [Change], at now: Int64) throws {
        guard !changes.isEmpty else { return }
        var observations = try transaction.inserter(ObservationRow.insertion)
        var readings = try transaction.inserter(ReadingRow.insertion)
        for change in changes {
            try observations.add(ObservationRow(change: change, at: now))
            for reading in change.work.made.inserted {
                try readings.add(ReadingRow(observation: change.number, reading: reading))
            }
        }
        try observations.flush()
        try readings.flush()
    }

    private func update(_ changes: [Change], at now: Int64) throws {
        guard !changes.isEmpty else { return }
        _ = try transaction.queries(
            changes.map { change in
                SQLQuery(
                    "UPDATE gateway_observation SET edition = ?, value_count = ?, written_ms = ? WHERE number = ?",
                    [
                        SQLValue(change.edition + 1), SQLValue(change.work.made.count), SQLValue(now),
                        SQLValue(change.number),
                    ])
            })
        var readings = try transaction.inserter(ReadingRow.replacement)
        for change in changes {
            for reading in change.work.made.inserted {
                try readings.add(ReadingRow(observation: change.number, reading: reading))
            }
        }
        try readings.flush()
    }

    /// Adds to the totals.
    func count(measurements: Int, observations: Int, refused: Int) throws {
        try transaction.execute(
            """
            UPDATE gateway_total SET measurements = measurements + ?, observations = observations + ?,
            refused = refused + ? WHERE id = 1
            """, [SQLValue(measurements), SQLValue(observations), SQLValue(refused)])
    }
}

private struct ObservationRow {
    let change: GatewayMeasurements.Change
    let at: Int64

    static let insertion = SQLInsertion<ObservationRow, Void>(
        into: "gateway_observation",
        columns: [
            SQLColumn("number") { SQLValue($0.change.number) },
            SQLColumn("edition") { _ in .integer(1) }, SQLColumn("value_count") { SQLValue($0.change.work.made.count) },
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

    /// For an Observation that has no readings yet.
    static let insertion = SQLInsertion<ReadingRow, Void>(into: "gateway_measurement", columns: columns)
    static let replacement = SQLInsertion<ReadingRow, Void>(
        into: "gateway_measurement", onConflict: .replaces(key: ["observation", "occurrence"]), columns: columns)
}
