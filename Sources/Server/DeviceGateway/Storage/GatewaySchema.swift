import Storage

/// The tables of the device gateway in the records' store.
package enum GatewaySchema {
    package static let sections = [hubs, events, readings]

    private static let hubs = SchemaSection("Hubs and devices") { dialect in
        """
        -- A hub, with the number and the bytes of its events that are not recorded yet.
        CREATE TABLE gateway_hub (
            hub text PRIMARY KEY NOT NULL,
            url text NOT NULL,
            created_at text NOT NULL,
            event_count bigint NOT NULL,
            byte_count bigint NOT NULL
        );

        -- A key by which a hub authenticates.
        CREATE TABLE gateway_key (
            hub text NOT NULL,
            name text NOT NULL,
            created_at text NOT NULL,
            PRIMARY KEY (hub, name)
        ) \(dialect.keptInKey);

        -- A registered device. The Device that is named here decides about the owner of a device.
        CREATE TABLE gateway_device (
            device text PRIMARY KEY NOT NULL,
            -- The id of the Device.
            record text NOT NULL,
            participant text NOT NULL,
            registered_at text NOT NULL
        );
        CREATE INDEX gateway_device_participant ON gateway_device (participant);

        -- A device of a deleted participant, by the digest of its id.
        CREATE TABLE gateway_ended_device (digest \(dialect.blob) PRIMARY KEY NOT NULL);

        -- One row: the secret of the ids of Devices and Observations.
        CREATE TABLE gateway_secret (
            id bigint PRIMARY KEY NOT NULL,
            secret \(dialect.blob) NOT NULL
        );
        """
    }

    private static let events = SchemaSection("Events") { dialect in
        """
        -- Events that arrive together, in one row: they are nearly always settled together.
        CREATE TABLE gateway_arrival (
            -- The number of the first event.
            first \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            hub text NOT NULL,
            received_at text NOT NULL,
            event_count bigint NOT NULL,
            bodies \(dialect.blob) NOT NULL
        );

        -- An event with a state of its own: it waits, or has an error.
        CREATE TABLE gateway_event (
            number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            hub text NOT NULL,
            received_at text NOT NULL,
            -- `pending`, `waiting` or `quarantined`.
            state text NOT NULL,
            -- The time of the next attempt.
            due_ms bigint NOT NULL,
            device text,
            -- The error: a stable code and a sentence.
            code text,
            message text,
            body \(dialect.blob) NOT NULL
        );
        CREATE INDEX gateway_event_due ON gateway_event (state, due_ms, number);
        CREATE INDEX gateway_event_device ON gateway_event (state, device) WHERE device IS NOT NULL;

        -- The digest of an accepted event, by which repeated ones are detected.
        CREATE TABLE gateway_seen (
            digest \(dialect.blob) NOT NULL,
            hub text NOT NULL,
            PRIMARY KEY (digest, hub)
        ) \(dialect.keptInKey);
        """
    }

    private static let readings = SchemaSection("Readings of devices") { dialect in
        """
        -- An Observation of the gateway.
        CREATE TABLE gateway_observation (
            -- The number of the record, which grows in the order of arrival.
            number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            -- Increases with each change.
            edition bigint NOT NULL,
            value_count bigint NOT NULL,
            written_ms bigint NOT NULL
        );

        -- A reading of an Observation.
        CREATE TABLE gateway_measurement (
            -- The number of the record of the Observation, which contains the participant.
            observation bigint NOT NULL,
            -- The time of the reading.
            occurrence bigint NOT NULL,
            -- The number of the event.
            event bigint NOT NULL,
            -- The reading as JSON.
            content text NOT NULL,
            PRIMARY KEY (observation, occurrence)
        ) \(dialect.keptInKey);

        -- One row: the totals.
        CREATE TABLE gateway_total (
            id bigint PRIMARY KEY NOT NULL,
            -- The number of the last event.
            last_event bigint NOT NULL,
            events bigint NOT NULL,
            measurements bigint NOT NULL,
            observations bigint NOT NULL,
            refused bigint NOT NULL
        );
        INSERT INTO gateway_total (id, last_event, events, measurements, observations, refused) VALUES (1, 0, 0, 0, 0, 0);
        """
    }
}
