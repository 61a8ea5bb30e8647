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

    /// What is known of Observations, by their ids; without their readings.
    func groups(_ ids: [String]) throws -> [String: Group] {
        let found = try transaction.queries(
            ids.map { id in
                SQLQuery(
                    "SELECT edition, written_ms, value_count, participant FROM gateway_observation WHERE observation = ?",
                    [SQLValue(id)])
            })
        var groups: [String: Group] = [:]
        for (id, rows) in zip(ids, found) {
            groups[id] = try rows.first.map { row in
                Group(
                    edition: try row.integer("edition"), written: try row.integer("written_ms"),
                    count: try row.integer("value_count"), participant: try row.text("participant"))
            }
        }
        return groups
    }

    /// The readings of an Observation, in the order of their times.
    func readings(of id: String) throws -> [Numbered] {
        try transaction.query(
            "SELECT event, content FROM gateway_measurement WHERE observation = ? ORDER BY occurrence", [SQLValue(id)]
        ).compactMap { row in
            guard let json = JSON(reading: Data(try row.text("content").utf8)), let measurement = Measurement(json)
            else {
                return nil
            }
            return Numbered(event: try row.integer("event"), measurement: measurement)
        }
    }

    /// Notes the readings that an Observation was just made of.
    ///
    /// - Parameters:
    ///   - new: those that are to be stored.
    ///   - count: how many it has with them.
    func note(_ new: [Numbered], of id: String, participant: String, count: Int, edition: Int64, at now: Int64) throws {
        _ = try transaction.queries(
            new.map { reading in
                SQLQuery(
                    """
                    INSERT INTO gateway_measurement (observation, occurrence, event, participant, content)
                    VALUES (?, ?, ?, ?, ?) ON CONFLICT (observation, occurrence) DO UPDATE SET event = excluded.event,
                    content = excluded.content
                    """,
                    [
                        SQLValue(id), SQLValue(reading.measurement.occurrence.ticks), SQLValue(reading.event),
                        SQLValue(participant), .text(reading.measurement.json.text()),
                    ])
            })
        try transaction.execute(
            """
            INSERT INTO gateway_observation (observation, participant, edition, value_count, written_ms)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (observation) DO UPDATE SET edition = excluded.edition,
            value_count = excluded.value_count, written_ms = excluded.written_ms
            """,
            [SQLValue(id), SQLValue(participant), SQLValue(edition), SQLValue(count), SQLValue(now)])
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
