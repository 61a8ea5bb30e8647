import Storage

/// The tables of the records: every version as received, the current version of each, and the search index.
package enum RecordsSchema {
    package static let sections = [
        TextDigest.section, SuspendedIndexes.section, records, versions, contents, searchEntries, history, streams,
        exports,
        writeQuota, typeChanges,
    ]

    private static let records = SchemaSection("Records") { dialect in
        """
        -- A record is the stored form of a resource. Ids are hashes or UUIDs: in an index of ids each new one changes a page
        -- of its own. Therefore records have numbers that grow, and other tables refer to these.

        -- A record: its identity, and the properties of its current version by which it is found.
        CREATE TABLE record (
            -- One more than the last. In SQLite it is the rowid, which ends each index without being a column of it.
            number \(dialect.rowNumber) NOT NULL PRIMARY KEY\(dialect.appended),
            type text NOT NULL,
            id text NOT NULL,
            -- The current version.
            version bigint NOT NULL,
            -- The participant that the resource is about.
            subject text,
            -- The time at which the current version was stored.
            updated_ms bigint NOT NULL,
            deleted bigint NOT NULL DEFAULT 0,
            -- The order of versions: the receipt of the submission decides which version is the current one.
            received_ms bigint NOT NULL DEFAULT 0,
            received_number bigint NOT NULL DEFAULT 0,
            -- The thumbprint of the key that signed it, and the device's number of the message; NULL if unsigned.
            signer text,
            signed_sequence bigint,
            -- The first and the last instant of the resource's date; NULL if it has none.
            date_low bigint,
            date_high bigint,
            -- The digest of the type and the id.
            address_digest \(dialect.blob)
        );
        CREATE UNIQUE INDEX record_by_address ON record (address_digest);
        CREATE INDEX record_by_type ON record (type\(dialect.word(postgresql: ", number")))\(dialect.appended) WHERE deleted = 0;
        CREATE INDEX record_by_subject ON record (type, subject\(dialect.word(postgresql: ", number")))\(dialect.appended);
        CREATE INDEX record_by_update ON record (type, updated_ms);
        CREATE INDEX record_by_date_low ON record (type, date_low\(dialect.word(sqlite: ", date_high")));
        -- Dates longer than a day, which are few.
        CREATE INDEX record_by_long_date ON record (type, date_high, date_low\(dialect.word(postgresql: ", number")))
        WHERE date_high NOT BETWEEN date_low AND date_low + \(DateColumns.longest);

        -- The facts that decide who sees a record, if they are more than its subject: several owners, or one owner and a
        -- reference without an id; a confidentiality other than the assumed one; sensitivities. Nearly all records have no
        -- row here.
        CREATE TABLE record_protection (
            number bigint NOT NULL REFERENCES record (number),
            kind text NOT NULL,
            value text NOT NULL,
            PRIMARY KEY (number, kind, value)
        ) \(dialect.keptInKey);
        CREATE INDEX record_protection_by_value ON record_protection (kind, value, number);
        """
    }

    private static let versions = SchemaSection("Versions") { dialect in
        """
        -- Nearly all records have one version for ever. Indexes of later versions exclude the first one: a load of millions
        -- of records writes nothing to them.

        -- The origin of versions, stored once for each submission.
        CREATE TABLE record_source (
            number \(dialect.rowNumber) PRIMARY KEY NOT NULL,
            submission_id text NOT NULL,
            client_id text NOT NULL,
            -- The key that the submission was sealed to.
            key_id text,
            signer text,
            signed_sequence bigint,
            received_at text NOT NULL,
            received_number bigint NOT NULL,
            stored_at text NOT NULL
        );
        CREATE INDEX record_source_by_submission ON record_source (submission_id, stored_at);

        -- A version of a record, as received.
        CREATE TABLE record_version (
            number bigint NOT NULL REFERENCES record (number),
            version bigint NOT NULL,
            -- The resource, compressed (`content_dictionary`).
            content \(dialect.blob) NOT NULL,
            -- The resource as it was received in another version of FHIR.
            original \(dialect.blob),
            original_fhir_version text,
            -- The SHA-256 of the content.
            digest \(dialect.blob) NOT NULL,
            deleted bigint NOT NULL DEFAULT 0,
            source bigint NOT NULL REFERENCES record_source (number),
            -- The order of receipt; NULL for the first version.
            received_ms bigint,
            received_number bigint,
            PRIMARY KEY (number, version)\(dialect.appended)
        );
        CREATE INDEX record_version_by_source ON record_version (source);
        CREATE INDEX record_version_by_order ON record_version (number, received_ms, received_number, version)
        WHERE version > 1;

        -- All versions with their origins, for people who read the tables.
        CREATE VIEW record_history AS
        SELECT r.number, r.type, r.id, v.version, v.content, v.original, v.original_fhir_version, v.digest,
            v.deleted, s.stored_at AS last_updated, s.submission_id, s.client_id, s.key_id, s.signer,
            s.signed_sequence, s.received_at, s.received_number
        FROM record_version v JOIN record r ON r.number = v.number JOIN record_source s ON s.number = v.source;
        """
    }

    private static let contents = SchemaSection("Contents", fill: ContentDictionaries.insert(in:)) { dialect in
        """
        -- A dictionary by which contents are compressed. It is stored, so that a later program reads the contents even if it
        -- does not contain the dictionary.
        CREATE TABLE content_dictionary (
            number bigint PRIMARY KEY NOT NULL,
            -- The type of the resources.
            type text NOT NULL,
            sha256 text NOT NULL,
            content \(dialect.blob) NOT NULL
        );
        """
    }
}
