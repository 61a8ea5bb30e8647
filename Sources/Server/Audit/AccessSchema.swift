import Storage

/// The tables of enrolments, access and audit in the records' store.
package enum AccessSchema {
    package static let sections = [devices, staffTokens, audit, auditSeals, deletions] + authorization + permissions

    /// The tables that the people store has too: accounts, their authorizations, audit and deletions.
    package static let ofPeopleStore = [audit, deletions] + authorization

    private static let devices = SchemaSection("Devices of participants") { dialect in
        """
        -- The binding of a device to a participant. A row that has ended and names no participant blocks a device that had
        -- none.
        CREATE TABLE device_binding (
            number \(dialect.numberedKey),
            -- The id of the enrolment in the queue's store.
            device text NOT NULL,
            participant text CHECK (participant IS NOT NULL OR ended_at IS NOT NULL),
            bound_at text NOT NULL,
            ended_at text,
            -- 1 if the device may send unsigned data until its first signed Contract.
            takes_unsigned bigint NOT NULL DEFAULT 0
        );
        -- A device has one participant at a time, and a participant one device.
        CREATE UNIQUE INDEX device_binding_of_device ON device_binding (device) WHERE ended_at IS NULL;
        CREATE UNIQUE INDEX device_binding_of_participant ON device_binding (participant) WHERE ended_at IS NULL;
        CREATE INDEX device_binding_by_device ON device_binding (device);
        CREATE INDEX device_binding_by_participant ON device_binding (participant, number);

        -- The public key by which a device signs for its participant.
        CREATE TABLE device_key (
            number \(dialect.numberedKey),
            -- The thumbprint of the key.
            key_id text NOT NULL,
            device text NOT NULL,
            participant text NOT NULL,
            jwk text NOT NULL,
            pinned_at text NOT NULL,
            ended_at text
        );
        CREATE UNIQUE INDEX device_key_in_force ON device_key (key_id) WHERE ended_at IS NULL;
        CREATE UNIQUE INDEX device_key_of_participant ON device_key (participant) WHERE ended_at IS NULL;
        CREATE INDEX device_key_by_device ON device_key (device);

        -- A code for one use, by which a participant moves to another device.
        CREATE TABLE move_code (
            secret_digest text PRIMARY KEY,
            participant text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            -- The device.
            used_by text
        );
        CREATE INDEX move_code_by_participant ON move_code (participant);

        -- An invitation for one use, if the study requires one of new participants.
        CREATE TABLE invitation (
            secret_digest text PRIMARY KEY,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            used_by text
        );
        """
    }

    private static let staffTokens = SchemaSection("Tokens of the study team") { _ in
        """
        -- A token of the study team, or of a program that reads records.
        CREATE TABLE staff_token (
            token_digest text PRIMARY KEY,
            id text NOT NULL UNIQUE,
            name text,
            created_at text NOT NULL,
            expires_at text,
            revoked_at text,
            -- NULL for the study team, whose role decides about their permissions.
            scopes text,
            -- 1 if the token is not limited to the patients of `token_patient`.
            reaches_all bigint NOT NULL DEFAULT 0
        );

        -- A participant whose records a token reaches.
        CREATE TABLE token_patient (
            token_id text NOT NULL REFERENCES staff_token (id),
            participant text NOT NULL,
            PRIMARY KEY (token_id, participant)
        );
        CREATE INDEX token_patient_by_participant ON token_patient (participant);
        """
    }

    private static let audit = SchemaSection("Audit") { dialect in
        """
        -- The audit names participants by pseudonyms. Without the row of `participant_pseudonym`, its rows identify no one.

        -- A decision: caller, action, target, result.
        CREATE TABLE audit (
            number \(dialect.numberedKey),
            at text NOT NULL,
            -- The person, device or server that acted.
            actor_id text,
            -- The client (an app, a device or a server) that acted for it.
            client text,
            role text,
            action text NOT NULL,
            resource_type text,
            resource_id text,
            -- Random bytes. A deletion of the participant removes them with `resource_id`.
            id_salt \(dialect.blob),
            -- The digest of `id_salt` and `resource_id`, which a deletion keeps.
            id_digest \(dialect.blob),
            -- The pseudonym of the participant.
            subject text,
            allowed bigint NOT NULL,
            reason text NOT NULL,
            -- The number of resources; NULL for one.
            amount bigint
        );
        CREATE INDEX audit_by_subject ON audit (subject, number);
        CREATE INDEX audit_by_time ON audit (at, number);
        CREATE INDEX audit_by_actor ON audit (actor_id, at, number);
        CREATE INDEX audit_by_client ON audit (client, at, number) WHERE client IS NOT NULL;

        -- A participant in the result of a search or an export.
        CREATE TABLE audit_participant (
            number bigint NOT NULL REFERENCES audit (number),
            pseudonym text NOT NULL
        );
        CREATE INDEX audit_participant_by_number ON audit_participant (number);
        CREATE INDEX audit_participant_by_pseudonym ON audit_participant (pseudonym, number);

        -- The pseudonym of a participant in the audit.
        CREATE TABLE participant_pseudonym (
            participant text PRIMARY KEY,
            pseudonym text NOT NULL UNIQUE
        );
        """
    }

    private static let auditSeals = SchemaSection("Seals of the audit") { _ in
        """
        -- A seal of rows of the audit. It contains the seal before, so the newest one covers all rows before it.
        CREATE TABLE audit_seal (
            -- 1, 2, 3 and so on.
            number bigint PRIMARY KEY,
            -- `rows`, or `restored` for the restoration of a backup, which has no rows.
            kind text NOT NULL,
            -- The numbers of its first and last row.
            first_row bigint NOT NULL,
            last_row bigint NOT NULL,
            -- The number of rows.
            amount bigint NOT NULL,
            at text NOT NULL,
            -- The head of the seal before.
            previous text NOT NULL,
            -- SHA-256 of this seal and its rows, in hexadecimal digits.
            head text NOT NULL
        );
        """
    }

    private static let deletions = SchemaSection("Deleted participants") { dialect in
        """
        -- A deleted participant: later data of theirs is refused.
        CREATE TABLE participant_deletion (
            -- The keyed digest of the id.
            digest text PRIMARY KEY,
            deleted_at text NOT NULL,
            completed_at text,
            -- The progress of the deletion; NULL if it is complete.
            work text
        );

        -- One row: the key of the digests.
        CREATE TABLE participant_deletion_key (
            id bigint PRIMARY KEY,
            digest_key \(dialect.blob) NOT NULL
        );
        """
    }
}
