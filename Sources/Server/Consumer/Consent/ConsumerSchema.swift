import Storage

/// The tables of the consumer in the records' store.
package enum ConsumerSchema {
    package static let sections = [consents, outcomes]

    private static let consents = SchemaSection("Consents of participants") { _ in
        """
        -- The consent of a participant, from all their Contracts.
        CREATE TABLE participant_consent (
            subject text PRIMARY KEY NOT NULL,
            -- `consented` or `withdrawn`.
            standing text NOT NULL,
            -- The Contracts that count, as JSON.
            state text NOT NULL,
            client_id text NOT NULL,
            updated_at text NOT NULL,
            -- 1 if the Contract in force permits other researchers; a column, so that SQL can query it.
            shares bigint NOT NULL DEFAULT 0
        );
        CREATE INDEX participant_consent_by_standing ON participant_consent (standing, shares, subject);

        -- A participant with a message that may be a withdrawal but was not understood. Nothing of theirs is recorded
        -- until it is understood or the study team decides.
        CREATE TABLE participant_suspension (
            participant text PRIMARY KEY NOT NULL,
            -- The latest such submission.
            received_at text NOT NULL,
            number bigint NOT NULL,
            submission_id text NOT NULL,
            since text NOT NULL
        );
        """
    }

    private static let outcomes = SchemaSection("Outcomes of submissions") { _ in
        """
        -- The queue is another store, and is updated after the records. These tables make a submission count once.

        -- One row: the queue that the records belong to.
        CREATE TABLE records_state (
            id bigint PRIMARY KEY,
            queue_id text NOT NULL
        );

        -- The outcome of a submission, written by the transaction that stores its data.
        CREATE TABLE settlement (
            -- The device queue.
            lane text NOT NULL,
            submission_id text NOT NULL,
            digest text NOT NULL,
            -- The number of the submission in the queue.
            number bigint NOT NULL,
            status text NOT NULL,
            reason_code text,
            key_id text,
            -- 1 if held submissions of the device are released.
            releases_held bigint NOT NULL,
            settled_at text NOT NULL,
            PRIMARY KEY (lane, submission_id)
        );

        -- A signed message of a device. The messages of a key are a chain: each one contains the digest of the previous
        -- one.
        CREATE TABLE device_message (
            key_id text NOT NULL,
            sequence bigint NOT NULL,
            submission_id text NOT NULL,
            digest text NOT NULL,
            -- The digest of the previous message; NULL for the first one.
            previous text,
            device text NOT NULL,
            received_at text NOT NULL,
            changes_consent bigint NOT NULL,
            PRIMARY KEY (key_id, sequence)
        );
        CREATE UNIQUE INDEX device_message_by_id ON device_message (key_id, submission_id);
        CREATE INDEX device_message_by_digest ON device_message (key_id, digest);
        CREATE INDEX device_message_by_previous ON device_message (key_id, COALESCE(previous, ''));
        CREATE INDEX device_message_of_consent ON device_message (key_id, sequence) WHERE changes_consent = 1;

        -- A used link to a record of the site. The participants and the records are in the store of links.
        CREATE TABLE link_use (
            -- The id of the link.
            jti text PRIMARY KEY NOT NULL,
            submission_id text NOT NULL,
            digest text NOT NULL,
            used_at text NOT NULL
        );
        """
    }
}
