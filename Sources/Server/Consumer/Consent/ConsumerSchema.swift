import Storage

/// The tables of the consumer.
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
        }
    ]
}
