import Storage

/// The tables of `links/links.sqlite`, a store of its own whose steps are numbered on their own, from 800: which record of
/// the site a link means, and whose it became. No other store holds a record's id.
public enum LinkSchema {
    public static let migrations: [Migration] = [
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
