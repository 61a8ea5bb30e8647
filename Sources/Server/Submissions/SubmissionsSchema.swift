import Storage

/// The queue's store: submissions, the devices that send them, and their tokens.
public enum SubmissionsSchema {
    package static let store = StoreSchema(
        "queue", sections: [state, devices, submissions])

    public static var migrations: [Migration] { store.migrations }

    private static let state = SchemaSection("State of the queue") { _ in
        """
        -- One row: the identity of the queue, and its counters.
        CREATE TABLE queue_state (
            id bigint PRIMARY KEY,
            -- The id that the records' store knows; empty before the first use.
            queue_id text NOT NULL,
            study_id text,
            -- Increases with each restore of a backup.
            epoch bigint NOT NULL,
            -- The number of the last change of a submission.
            change bigint NOT NULL,
            -- The number of the last lease.
            lease bigint NOT NULL
        );
        INSERT INTO queue_state (id, queue_id, epoch, change, lease) VALUES (1, '', 1, 0, 0);

        -- Counts of rejected requests without a token, by minute. With a row for each request, anyone could fill the disk.
        CREATE TABLE refusal_count (
            minute text NOT NULL,
            code text NOT NULL,
            count bigint NOT NULL,
            PRIMARY KEY (minute, code)
        );
        """
    }

    private static let devices = SchemaSection("Devices") { _ in
        """
        -- These tables do not identify the participant of a device.

        -- A device, identified by its app receipt or its invitation. It may register new clients; its submissions keep
        -- their queue.
        CREATE TABLE enrolment (
            id text PRIMARY KEY,
            -- The SHA-256 of the receipt, or `invitation:` and the secret_digest of the invitation.
            receipt_digest text NOT NULL UNIQUE,
            created_at text NOT NULL,
            last_seen_at text,
            revoked_at text
        );

        -- An invitation by which one installation enrols, if the study takes invitations instead of receipts.
        CREATE TABLE enrolment_invitation (
            -- The SHA-256 of the proof that the device sends.
            secret_digest text PRIMARY KEY,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            -- The SHA-256 of the secret of the installation.
            used_by text
        );

        -- A client of a device, with the secret by which it obtains tokens.
        CREATE TABLE client (
            id text PRIMARY KEY,
            enrolment_id text NOT NULL REFERENCES enrolment (id),
            secret_digest text NOT NULL,
            created_at text NOT NULL,
            revoked_at text
        );
        CREATE INDEX client_by_enrolment ON client (enrolment_id);

        -- A token of a client.
        CREATE TABLE access_token (
            token_digest text PRIMARY KEY,
            client_id text NOT NULL REFERENCES client (id),
            created_at text NOT NULL,
            expires_at text NOT NULL
        );
        CREATE INDEX access_token_by_client ON access_token (client_id, created_at);
        CREATE INDEX access_token_by_expiry ON access_token (expires_at);
        """
    }

    private static let submissions = SchemaSection("Submissions") { dialect in
        """
        -- A submission: its state, without its content.
        CREATE TABLE submission (
            -- The order of receipt.
            number \(dialect.numberedKey),
            client_id text NOT NULL,
            -- The device queue: the id of the enrolment.
            lane text NOT NULL,
            -- The id that the device gave.
            submission_id text NOT NULL,
            -- The SHA-256 of the sealed body: the same id with another body is refused.
            digest text NOT NULL,
            format text NOT NULL,
            -- The device's own number of the submission.
            sequence bigint,
            resource_type_hint text,
            -- The bytes of the sealed body.
            size bigint NOT NULL,
            received_at text NOT NULL,
            status text NOT NULL,
            changed_at text NOT NULL,
            -- The number of its last change, by which a device asks for changes since then.
            change bigint NOT NULL,
            -- The number of attempts that failed for a temporary reason.
            attempts bigint NOT NULL DEFAULT 0,
            -- The number of attempts that began and have not ended.
            begun bigint NOT NULL DEFAULT 0,
            -- The lease of the consumer that processes it.
            lease bigint,
            lease_owner text,
            lease_until text,
            -- The end of the time for which it is held; NULL without an end.
            held_until text,
            -- The reason of the status: a stable code.
            reason_code text,
            -- Details of the reason, for staff.
            detail text,
            -- The key that the body is sealed to.
            key_id text,
            UNIQUE (lane, submission_id)
        );
        CREATE INDEX submission_by_status ON submission (status, number);
        CREATE INDEX submission_by_change ON submission (lane, change);
        CREATE INDEX submission_by_client ON submission (client_id, lane);
        CREATE INDEX submission_by_id ON submission (submission_id);
        CREATE INDEX submission_by_sequence ON submission (lane, sequence, received_at) WHERE sequence IS NOT NULL;
        CREATE INDEX submission_by_receipt ON submission (received_at, number);
        CREATE INDEX submission_by_reason ON submission (reason_code, status, number) WHERE reason_code IS NOT NULL;
        CREATE INDEX submission_by_lease ON submission (lane, lease_until) WHERE lease_owner IS NOT NULL;
        CREATE INDEX submission_begun ON submission (lane, number) WHERE status = 'received' AND begun > 0;
        -- Held and quarantined submissions of a device, with their sizes.
        CREATE INDEX submission_held ON submission (lane, number, size) WHERE status IN ('held', 'quarantined');
        CREATE INDEX submission_held_until ON submission (held_until) WHERE held_until IS NOT NULL;

        -- The sealed body. It is in a table of its own, so that a change of the status does not rewrite it.
        CREATE TABLE submission_body (
            number bigint PRIMARY KEY REFERENCES submission (number),
            body \(dialect.blob) NOT NULL
        );
        """
    }
}
