import Storage

/// The store of links, `links/links.sqlite`.
package enum LinkSchema {
    package static let store = StoreSchema("links", sections: [links])

    package static var migrations: [Migration] { store.migrations }

    private static let links = SchemaSection("Links") { _ in
        """
        -- A link: the record of the site that it was made for, and its participant. No other store contains the id of a
        -- record of the site.
        CREATE TABLE link (
            -- The id of the signed token.
            jti text PRIMARY KEY NOT NULL,
            -- The id of the person in the records of the site.
            record text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            -- The participant and the submission that used the link; NULL for an unused link.
            participant text,
            submission_id text,
            linked_at text
        );
        CREATE INDEX link_by_participant ON link (participant) WHERE participant IS NOT NULL;
        """
    }
}
