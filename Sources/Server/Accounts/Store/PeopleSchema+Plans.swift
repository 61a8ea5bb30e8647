import Storage

extension PeopleSchema {
    /// The tables of care plans. A text with a vector has `UUID=clock` for each process, with spaces between.
    static let plans = SchemaSection("Care plans") { dialect in
        """
        -- The log of a patient's care plan.
        CREATE TABLE care_log (
            account_id text PRIMARY KEY REFERENCES person (account_id),
            -- The vector of the log.
            vector text NOT NULL,
            -- The number of the last push with new versions.
            push bigint NOT NULL
        );

        -- A push with new versions.
        CREATE TABLE care_push (
            account_id text NOT NULL REFERENCES person (account_id),
            number bigint NOT NULL,
            -- The account that sent it; NULL after its deletion.
            actor text,
            at text NOT NULL,
            -- The number of its last version.
            last_version bigint NOT NULL,
            -- The vector of the log after it.
            vector text NOT NULL,
            PRIMARY KEY (account_id, number)
        );
        CREATE INDEX care_push_by_actor ON care_push (actor);

        -- A vector of versions.
        CREATE TABLE care_vector (
            number \(dialect.numberedKey),
            account_id text NOT NULL REFERENCES person (account_id),
            vector text NOT NULL
        );
        CREATE INDEX care_vector_of ON care_vector (account_id);

        -- A clock of a vector. It finds the vectors that another vector does not cover.
        CREATE TABLE care_clock (
            account_id text NOT NULL REFERENCES person (account_id),
            process text NOT NULL,
            clock bigint NOT NULL,
            vector bigint NOT NULL,
            PRIMARY KEY (account_id, process, clock, vector)
        ) \(dialect.keptInKey);

        -- A version of an entity, in the order of arrival. Predecessors and tasks have smaller numbers.
        CREATE TABLE care_version (
            number \(dialect.numberedKey),
            account_id text NOT NULL REFERENCES person (account_id),
            -- In upper case.
            uuid text NOT NULL,
            -- `patient`, `carePlan`, `contact`, `task`, `healthKitTask` or `outcome`.
            kind text NOT NULL,
            entity_id text NOT NULL,
            -- The event of an outcome.
            task text,
            occurrence bigint,
            -- 1 for a deletion.
            is_tombstone bigint NOT NULL,
            -- The push that added it.
            push bigint NOT NULL,
            -- The push that added the first version that follows it.
            followed_by bigint,
            -- The versions that it follows, with spaces between.
            previous text NOT NULL,
            vector bigint NOT NULL,
            -- The vector with which it arrived, if the server added its own clock to the vector.
            arrival_vector bigint,
            -- JSON as it was sent.
            content text NOT NULL
        );
        CREATE UNIQUE INDEX care_version_key ON care_version (account_id, uuid);
        CREATE INDEX care_version_in_order ON care_version (account_id, number, vector);
        CREATE INDEX care_version_of_vector ON care_version (account_id, vector, number);
        CREATE INDEX care_version_of_event ON care_version (account_id, task, occurrence) WHERE task IS NOT NULL;
        CREATE INDEX care_version_of_kind ON care_version (account_id, kind, number) WHERE task IS NULL;
        CREATE INDEX care_version_current ON care_version (account_id, task, occurrence)
            WHERE task IS NOT NULL AND followed_by IS NULL;
        CREATE INDEX care_version_last ON care_version (account_id, kind, entity_id) WHERE followed_by IS NULL;

        -- A session that has pulled a plan since the store was restored.
        CREATE TABLE care_session (
            account_id text NOT NULL REFERENCES person (account_id),
            session text NOT NULL,
            -- The number of answers without versions.
            answers bigint NOT NULL,
            -- 1 after the session has sent what it has.
            is_complete bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (account_id, session)
        );
        """
    }
}
