import Storage

/// The tables of the consumer in the records' store, steps 600 to 699.
public enum ConsumerSchema {
    public static let migrations: [Migration] = [
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
                // What became of a submission, written by the transaction that records it: the queue, another store, is
                // settled after it.
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
    ]
}
