import FHIR
import RecordStorage
import Storage

/// The tables of the device gateway in the records' store, migrations 1000 to 1099.
package enum GatewaySchema {
    package static let migrations: [Migration] = [
        Migration(number: 1000, name: "device gateway") { dialect in
            [
                // A hub, with the number and bytes of its events that are not recorded yet.
                """
                CREATE TABLE gateway_hub (
                    hub text PRIMARY KEY NOT NULL, url text NOT NULL, created_at text NOT NULL,
                    event_count bigint NOT NULL, byte_count bigint NOT NULL
                )
                """,
                """
                CREATE TABLE gateway_key (
                    hub text NOT NULL, name text NOT NULL, created_at text NOT NULL, PRIMARY KEY (hub, name)
                ) \(dialect.keptInKey)
                """,
                """
                CREATE TABLE gateway_event (
                    number \(dialect.rowNumber) PRIMARY KEY NOT NULL, hub text NOT NULL, received_at text NOT NULL,
                    state text NOT NULL, due_ms bigint NOT NULL, device text, code text, message text,
                    body \(dialect.blob) NOT NULL
                )
                """,
                "CREATE INDEX gateway_event_due ON gateway_event (state, due_ms, number)",
                "CREATE INDEX gateway_event_device ON gateway_event (state, device)",
                // The keys of accepted events, by which repeated ones are detected.
                """
                CREATE TABLE gateway_seen (
                    digest \(dialect.blob) NOT NULL, hub text NOT NULL, PRIMARY KEY (digest, hub)
                ) \(dialect.keptInKey)
                """,
                """
                CREATE TABLE gateway_measurement (
                    observation text NOT NULL, occurrence bigint NOT NULL, event bigint NOT NULL,
                    participant text NOT NULL, content text NOT NULL, PRIMARY KEY (observation, occurrence)
                ) \(dialect.keptInKey)
                """,
                "CREATE INDEX gateway_measurement_participant ON gateway_measurement (participant)",
                """
                CREATE TABLE gateway_observation (
                    observation text PRIMARY KEY NOT NULL, participant text NOT NULL, edition bigint NOT NULL,
                    value_count bigint NOT NULL, written_ms bigint NOT NULL
                )
                """,
                "CREATE INDEX gateway_observation_participant ON gateway_observation (participant)",
                // The Device that is named here decides about the owner of a device. After the deletion of the
                // participant, only a digest of the device's id is kept.
                """
                CREATE TABLE gateway_device (
                    device text PRIMARY KEY NOT NULL, record text NOT NULL, participant text NOT NULL,
                    registered_at text NOT NULL
                )
                """,
                "CREATE INDEX gateway_device_participant ON gateway_device (participant)",
                "CREATE TABLE gateway_ended_device (digest \(dialect.blob) PRIMARY KEY NOT NULL)",
                """
                CREATE TABLE gateway_total (
                    id bigint PRIMARY KEY NOT NULL, last_event bigint NOT NULL, events bigint NOT NULL,
                    measurements bigint NOT NULL, observations bigint NOT NULL, refused bigint NOT NULL
                )
                """,
                "INSERT INTO gateway_total (id, last_event, events, measurements, observations, refused) VALUES (1, 0, 0, 0, 0, 0)",
            ]
        },
        // The ids of Observations are digests, so rows in their order are inserted at random positions, and each new
        // one changes a page of its own. Numbers of records increase in the order of arrival. Half of a digest
        // distinguishes events.
        Migration(number: 1001, name: "readings by numbers of records") { dialect in
            [
                """
                CREATE TABLE gateway_numbered (
                    number \(dialect.rowNumber) PRIMARY KEY NOT NULL, participant text NOT NULL, edition bigint NOT NULL,
                    value_count bigint NOT NULL, written_ms bigint NOT NULL
                )
                """,
                """
                INSERT INTO gateway_numbered (number, participant, edition, value_count, written_ms)
                SELECT r.number, o.participant, o.edition, o.value_count, o.written_ms FROM gateway_observation o
                JOIN record r ON r.\(RecordKey.column) = \(address(of: "o.observation"))
                """,
                """
                CREATE TABLE gateway_reading (
                    observation bigint NOT NULL, occurrence bigint NOT NULL, event bigint NOT NULL,
                    content text NOT NULL, PRIMARY KEY (observation, occurrence)
                ) \(dialect.keptInKey)
                """,
                """
                INSERT INTO gateway_reading (observation, occurrence, event, content)
                SELECT r.number, m.occurrence, m.event, m.content FROM gateway_measurement m
                JOIN record r ON r.\(RecordKey.column) = \(address(of: "m.observation"))
                """,
                """
                CREATE TABLE gateway_known (
                    digest \(dialect.blob) NOT NULL, hub text NOT NULL, PRIMARY KEY (digest, hub)
                ) \(dialect.keptInKey)
                """,
                "INSERT INTO gateway_known (digest, hub) SELECT DISTINCT substr(digest, 1, 16), hub FROM gateway_seen",
                "DROP TABLE gateway_measurement",
                "DROP TABLE gateway_observation",
                "DROP TABLE gateway_seen",
                "ALTER TABLE gateway_numbered RENAME TO gateway_observation",
                "ALTER TABLE gateway_reading RENAME TO gateway_measurement",
                "ALTER TABLE gateway_known RENAME TO gateway_seen",
                "CREATE INDEX gateway_observation_participant ON gateway_observation (participant)",
                // Pending events name no device.
                "DROP INDEX gateway_event_device",
                "CREATE INDEX gateway_event_device ON gateway_event (state, device) WHERE device IS NOT NULL",
            ]
        },
        // Events that arrive together are nearly always settled together.
        Migration(number: 1002, name: "arrivals") { dialect in
            [
                """
                CREATE TABLE gateway_arrival (
                    first \(dialect.rowNumber) PRIMARY KEY NOT NULL, hub text NOT NULL, received_at text NOT NULL,
                    event_count bigint NOT NULL, bodies \(dialect.blob) NOT NULL
                )
                """
            ]
        },
        // The record of the Observation contains the participant of its readings.
        Migration(number: 1003, name: "readings without a participant of their own") { _ in
            [
                "DROP INDEX gateway_observation_participant",
                "ALTER TABLE gateway_observation DROP COLUMN participant",
            ]
        },
        Migration(number: 1004, name: "secret of the gateway's ids") { dialect in
            [
                """
                CREATE TABLE gateway_secret (
                    id bigint PRIMARY KEY NOT NULL, secret \(dialect.blob) NOT NULL, has_former bigint NOT NULL
                )
                """
            ]
        },
    ]

    private static func address(of id: String) -> String {
        RecordKey.sql(type: "'\(Observation.resourceType)'", id: id)
    }
}
