import Storage

/// The tables of the consumer in the records' store, steps 600 to 699.
package enum ConsumerSchema {
    package static let migrations: [Migration] = [
        Migration(number: 600, name: "consumer-consent") { _ in
            [
                """
                CREATE TABLE participant_consent (
                    subject text PRIMARY KEY NOT NULL,
                    standing text NOT NULL,
                    state text NOT NULL,
                    client_id text NOT NULL,
                    updated_at text NOT NULL
                )
                """
            ]
        },
        Migration(number: 601, name: "settlements, suspensions, the queue's name") { _ in
            [
                // Outcome of a submission, written by the transaction that records it. The queue is another store and
                // is settled afterwards.
                """
                CREATE TABLE settlement (
                    lane text NOT NULL,
                    submission_id text NOT NULL,
                    digest text NOT NULL,
                    number bigint NOT NULL,
                    status text NOT NULL,
                    reason_code text,
                    key_id text,
                    releases_held bigint NOT NULL,
                    settled_at text NOT NULL,
                    PRIMARY KEY (lane, submission_id)
                )
                """,
                """
                CREATE TABLE participant_suspension (
                    participant text PRIMARY KEY NOT NULL,
                    received_at text NOT NULL,
                    number bigint NOT NULL,
                    submission_id text NOT NULL,
                    since text NOT NULL
                )
                """,
                "CREATE TABLE records_state (id bigint PRIMARY KEY, queue_id text NOT NULL)",
            ]
        },
        // Messages that devices signed: a chain for each key, in which every message contains the digest of the
        // previous one.
        Migration(number: 602, name: "signed messages") { _ in
            [
                """
                CREATE TABLE device_message (
                    key_id text NOT NULL,
                    sequence bigint NOT NULL,
                    submission_id text NOT NULL,
                    digest text NOT NULL,
                    previous text,
                    device text NOT NULL,
                    received_at text NOT NULL,
                    changes_consent bigint NOT NULL,
                    PRIMARY KEY (key_id, sequence)
                )
                """,
                "CREATE UNIQUE INDEX device_message_by_id ON device_message (key_id, submission_id)",
                "CREATE INDEX device_message_by_digest ON device_message (key_id, digest)",
                "CREATE INDEX device_message_by_previous ON device_message (key_id, COALESCE(previous, ''))",
                """
                CREATE INDEX device_message_of_consent ON device_message (key_id, sequence) WHERE changes_consent = 1
                """,
            ]
        },
        // Whether the Contract in force permits other researchers. A column next to `standing`, so that SQL can query
        // both.
        Migration(number: 605, name: "sharing of the consent in force") { dialect in
            let shares =
                switch dialect {
                case .sqlite: "json_extract(state, '$.newest.sharing') = 1"
                case .postgresql: "state::json->'newest'->>'sharing' = 'true'"
                }
            return [
                "ALTER TABLE participant_consent ADD COLUMN shares bigint NOT NULL DEFAULT 0",
                "UPDATE participant_consent SET shares = 1 WHERE standing = 'consented' AND \(shares)",
                "CREATE INDEX participant_consent_by_standing ON participant_consent (standing, shares, subject)",
            ]
        },
        // Links to records of the site that were submitted, with their submissions. The participants and the records
        // are in a separate store.
        Migration(number: 606, name: "links that were handed in") { _ in
            [
                """
                CREATE TABLE link_use (
                    jti text PRIMARY KEY NOT NULL,
                    submission_id text NOT NULL,
                    digest text NOT NULL,
                    used_at text NOT NULL
                )
                """
            ]
        },
    ]
}
