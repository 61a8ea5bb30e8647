import Storage

/// Tables of `links/links.sqlite`, a separate store with its own step numbers from 800: for each link the record of the
/// site, and its participant. No other store contains a record's id.
package enum LinkSchema {
    package static let migrations: [Migration] = [
        Migration(number: 800, name: "links") { _ in
            [
                """
                CREATE TABLE link (
                    jti text PRIMARY KEY NOT NULL,
                    record text NOT NULL,
                    created_at text NOT NULL,
                    expires_at text NOT NULL,
                    participant text,
                    submission_id text,
                    linked_at text
                )
                """,
                "CREATE INDEX link_by_participant ON link (participant) WHERE participant IS NOT NULL",
            ]
        }
    ]
}
