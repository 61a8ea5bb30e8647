import FHIR
import Foundation
import RecordStorage
import Storage

/// Deletes the gateway's data of a participant.
package enum GatewayDeletion {
    /// Deletes the readings, the devices and the events of a participant, in the caller's transaction. Later events of
    /// their devices are refused until the devices are registered again.
    ///
    /// - Returns: the deleted rows by table.
    package static func delete(
        participant: String, in transaction: any SQLTransaction
    ) throws -> [String: RowsDigest] {
        let theirs = [SQLValue(participant)]
        let devices = try transaction.query(
            "SELECT device FROM gateway_device WHERE participant = ? ORDER BY device", theirs
        ).map { try $0.text("device") }
        var removed: [String: RowsDigest] = [:]
        for device in devices {
            try transaction.execute(
                "INSERT INTO gateway_ended_device (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING",
                [SQLValue(DeviceRegistration.digest(device))])
            let sizes = try transaction.query(
                """
                SELECT hub, count(*) AS events, sum(length(body)) AS bytes FROM gateway_event
                WHERE state IN ('waiting', 'quarantined') AND device = ?
                GROUP BY hub
                """, [SQLValue(device)])
            for row in sizes {
                try transaction.execute(
                    "UPDATE gateway_hub SET event_count = event_count - ?, byte_count = byte_count - ? WHERE hub = ?",
                    [SQLValue(try row.integer("events")), SQLValue(try row.integer("bytes")), row["hub"]])
            }
        }
        removed["gateway_event"] = try transaction.delete(
            from: "gateway_event",
            where: """
                state IN ('waiting', 'quarantined') AND device IN (SELECT device FROM gateway_device WHERE participant = ?)
                """, theirs, orderedBy: "number")
        let records = RecordStore.numbers(of: participant, Observation.resourceType)
        removed["gateway_measurement"] = try transaction.delete(
            from: "gateway_measurement", where: "observation IN (\(records.sql))", records.parameters,
            orderedBy: "observation, occurrence")
        removed["gateway_observation"] = try transaction.delete(
            from: "gateway_observation", where: "number IN (\(records.sql))", records.parameters, orderedBy: "number")
        removed["gateway_device"] = try transaction.delete(
            from: "gateway_device", where: "participant = ?", theirs, orderedBy: "device")
        return removed
    }
}
