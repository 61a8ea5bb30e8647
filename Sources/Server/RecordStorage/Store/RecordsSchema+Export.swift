import Storage

extension RecordsSchema {
    /// The requested exports, and their files.
    static let exports = SchemaSection("Exports") { _ in
        """
        -- The tables are small: each export ends, and is removed when it expires. The files are in a folder outside of the
        -- store.

        -- An export that a client requested.
        CREATE TABLE export_job (
            id text PRIMARY KEY NOT NULL,
            actor_id text NOT NULL,
            role text NOT NULL,
            -- The grant of the request, as JSON.
            access_grant text NOT NULL,
            -- The URL of the request.
            request text NOT NULL,
            status text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            error_code text,
            folder text,
            -- The last record of the snapshot that is exported.
            last_number bigint,
            -- The last completed type.
            done_through text,
            -- The numbers of resources and bytes.
            written bigint NOT NULL DEFAULT 0,
            bytes bigint NOT NULL DEFAULT 0,
            -- The number of starts since the last completed type.
            begun bigint NOT NULL DEFAULT 0,
            -- The process that exports.
            lease_owner text,
            lease_until text
        );
        CREATE INDEX export_job_by_actor ON export_job (actor_id, status);
        CREATE INDEX export_job_by_status ON export_job (status, created_at);

        -- A file of an export.
        CREATE TABLE export_file (
            job text NOT NULL REFERENCES export_job (id),
            name text NOT NULL,
            -- `output`, `deleted` or `error`.
            kind text NOT NULL,
            -- The type of the resources.
            type text NOT NULL,
            count bigint NOT NULL,
            bytes bigint NOT NULL,
            PRIMARY KEY (job, name)
        );
        """
    }
}
