import Core
import Foundation
import Storage

/// The readings that Observations were made of, inside of the transaction of the caller: what came late, or out of order, has
/// its place among them.
struct GatewayMeasurements {
    /// A reading with the number of the event that brought it. Of two of one time that of the later event counts.
    struct Numbered: Sendable {
        let event: Int64
        let measurement: Measurement
    }

    /// What is known of an Observation.
    struct Group: Sendable {
        /// Its number; nil where there is none.
        var number: Int64?
        /// How often its readings were changed; 0 where there are none.
        var edition: Int64 = 0
        /// When it was last written, in milliseconds since 1970.
        var written: Int64 = 0
        /// How many readings it has.
        var count: Int64 = 0
        /// Whose it is; nil where there is none.
        var participant: String?
        var measurements: [Numbered] = []
    }

    let transaction: any SQLTransaction

    /// Parameter: the Observation's id.
    static let groupSQL = """
        SELECT number, edition, written_ms, value_count, participant FROM gateway_observation WHERE observation = ?
        """

    /// What is known of Observations, by their ids; without their readings.
    func groups(_ ids: [String]) throws -> [String: Group] {
        let found = try transaction.queries(
            ids.map { id in
                SQLQuery(Self.groupSQL, [SQLValue(id)])
            })
        var groups: [String: Group] = [:]
        for (id, rows) in zip(ids, found) {
            groups[id] = try rows.first.map { row in
                Group(
                    number: try row.integer("number"), edition: try row.integer("edition"), written: try row.integer("written_ms"),
                    count: try row.integer("value_count"), participant: try row.text("participant"))
            }
        }
        return groups
    }

    /// The readings of an Observation, in the order of their times.
    ///
    /// - Parameter number: the Observation's.
    func readings(of number: Int64) throws -> [Numbered] {
        try transaction.query(Self.readingsSQL, [SQLValue(number)]).compactMap { row in
            guard let json = JSON(reading: Data(try row.text("content").utf8)), let measurement = Measurement(json)
            else {
                return nil
            }
            return Numbered(event: try row.integer("event"), measurement: measurement)
        }
    }

    /// Parameter: the Observation's number.
    static let readingsSQL = "SELECT event, content FROM gateway_measurement WHERE observation = ? ORDER BY occurrence"

    /// The readings that an Observation was just made of.
    struct Note {
        /// The Observation's id.
        let id: String
        let participant: String
        /// What was known of it.
        let known: Group
        /// The readings that are to be stored.
        let new: [Numbered]
        /// How many it has with them.
        let count: Int
    }

    /// Notes the readings that Observations were just made of.
    func note(_ notes: [Note], at now: Int64) throws {
        guard !notes.isEmpty else { return }
        let unknown = notes.count { $0.known.number == nil }
        var last: Int64 = 0
        if unknown > 0 {
            let row = try transaction.first(
                """
                UPDATE gateway_total SET last_observation = last_observation + ? WHERE id = 1 RETURNING last_observation
                """, [SQLValue(unknown)])
            last = (try row?.integer("last_observation") ?? 0) - Int64(unknown)
        }
        var readings: [SQLQuery] = []
        var observations: [SQLQuery] = []
        for note in notes {
            let number: Int64
            if let known = note.known.number {
                number = known
            } else {
                last += 1
                number = last
            }
            observations.append(
                SQLQuery(
                    """
                    INSERT INTO gateway_observation (number, observation, participant, edition, value_count, written_ms)
                    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET edition = excluded.edition,
                    value_count = excluded.value_count, written_ms = excluded.written_ms
                    """,
                    [
                        SQLValue(number), SQLValue(note.id), SQLValue(note.participant),
                        SQLValue(note.known.edition + 1), SQLValue(note.count), SQLValue(now),
                    ]))
            for reading in note.new {
                readings.append(
                    SQLQuery(
                        """
                        INSERT INTO gateway_measurement (observation, occurrence, event, content)
                        VALUES (?, ?, ?, ?) ON CONFLICT (observation, occurrence) DO UPDATE SET event = excluded.event,
                        content = excluded.content
                        """,
                        [
                            SQLValue(number), SQLValue(reading.measurement.occurrence.ticks), SQLValue(reading.event),
                            .text(reading.measurement.json.text()),
                        ]))
            }
        }
        _ = try transaction.queries(observations)
        _ = try transaction.queries(readings)
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
