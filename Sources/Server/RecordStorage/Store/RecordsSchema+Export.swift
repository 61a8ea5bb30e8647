import Storage

extension RecordsSchema {
    /// The requested exports, and their files. The tables are small: each export ends, and is removed when it expires.
    /// The files are in a folder outside of the store.
    package static let exports: [Migration] = [
        Migration(number: 422, name: "exports") { _ in
            [
                """
                CREATE TABLE export_job (
                    id text PRIMARY KEY NOT NULL,
                    actor_id text NOT NULL,
                    role text NOT NULL,
                    access_grant text NOT NULL,
                    request text NOT NULL,
                    status text NOT NULL,
                    created_at text NOT NULL,
                    expires_at text NOT NULL,
                    error_code text,
                    folder text,
                    last_number bigint,
                    done_through text,
                    written bigint NOT NULL DEFAULT 0,
                    bytes bigint NOT NULL DEFAULT 0,
                    begun bigint NOT NULL DEFAULT 0,
                    lease_owner text,
                    lease_until text
                )
                """,
                "CREATE INDEX export_job_by_actor ON export_job (actor_id, status)",
                "CREATE INDEX export_job_by_status ON export_job (status, created_at)",
                """
                CREATE TABLE export_file (
                    job text NOT NULL REFERENCES export_job (id),
                    name text NOT NULL,
                    kind text NOT NULL,
                    type text NOT NULL,
                    count bigint NOT NULL,
                    bytes bigint NOT NULL,
                    PRIMARY KEY (job, name)
                )
                """,
            ]
        }
    ]
}
