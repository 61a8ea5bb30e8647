import Audit
import Storage

/// The tables of the people store: accounts of identified people, their data, and the team that may read them.
///
/// No row leads to a participant of the study: the two sides share no id.
package enum PeopleSchema {
    package static let store = StoreSchema(
        "people", sections: AccessSchema.ofPeopleStore + [state, people, data, team, plans] + MailSchema.sections)

    private static let state = SchemaSection("State of the people store") { dialect in
        """
        -- One row: the identity of the store, and its counter of changes.
        CREATE TABLE people_state (
            id bigint PRIMARY KEY,
            -- Replaced by each restore of a backup.
            epoch text NOT NULL,
            -- The key that authenticates cursors.
            cursor_key \(dialect.blob) NOT NULL,
            -- The number of the last change that a list of patients reports.
            number bigint NOT NULL,
            -- The server's own process in the vectors of care plans. Replaced by each restore.
            care_process text NOT NULL,
            -- 1 after a restore: the first answer to each session has no versions, so that the session sends all it has.
            is_restored bigint NOT NULL DEFAULT 0
        );
        """
    }

    private static let people = SchemaSection("Account holders") { _ in
        """
        -- What an account has in addition to its name and password.
        CREATE TABLE person (
            account_id text PRIMARY KEY REFERENCES user_account (id),
            -- The e-mail address as the person wrote it.
            email text NOT NULL,
            verified_at text,
            -- 0 if the person lets no team read the data.
            sharing bigint NOT NULL DEFAULT 1,
            -- JSON.
            profile text NOT NULL,
            -- The digest of the photo.
            photo text,
            -- The bytes of files, results and the care plan.
            stored_bytes bigint NOT NULL DEFAULT 0,
            deletion_requested_at text,
            -- The numbers of the last change of each kind.
            profile_number bigint NOT NULL DEFAULT 0,
            photo_number bigint NOT NULL DEFAULT 0,
            consents_number bigint NOT NULL DEFAULT 0,
            results_number bigint NOT NULL DEFAULT 0,
            plan_number bigint NOT NULL DEFAULT 0
        );
        CREATE INDEX person_by_deletion ON person (deletion_requested_at) WHERE deletion_requested_at IS NOT NULL;

        -- A group that an account belongs to.
        CREATE TABLE person_group (
            account_id text NOT NULL REFERENCES person (account_id),
            group_name text NOT NULL,
            PRIMARY KEY (account_id, group_name)
        );

        -- A code for one use that was sent by mail.
        CREATE TABLE account_code (
            secret_digest text PRIMARY KEY,
            account_id text NOT NULL REFERENCES person (account_id),
            -- `verification` or `reset`.
            purpose text NOT NULL,
            created_at text NOT NULL,
            expires_at text NOT NULL,
            used_at text,
            used_by text
        );
        CREATE INDEX account_code_of ON account_code (account_id, purpose, created_at);
        CREATE INDEX account_code_by_end ON account_code (expires_at);
        """
    }

    private static let data = SchemaSection("Data of account holders") { dialect in
        """
        -- A file of an account, under its SHA-256. Accounts do not share files.
        CREATE TABLE person_blob (
            account_id text NOT NULL REFERENCES person (account_id),
            digest text NOT NULL,
            size bigint NOT NULL,
            content \(dialect.blob) NOT NULL,
            created_at text NOT NULL,
            PRIMARY KEY (account_id, digest)
        );

        -- A signed consent. All versions are kept.
        CREATE TABLE person_consent (
            number \(dialect.numberedKey),
            id text NOT NULL UNIQUE,
            account_id text NOT NULL REFERENCES person (account_id),
            descriptor text NOT NULL,
            at text NOT NULL,
            -- Digests of files.
            result text NOT NULL,
            signature text NOT NULL,
            document text,
            withdrawn_at text
        );
        CREATE INDEX person_consent_of ON person_consent (account_id, descriptor, number);
        CREATE INDEX person_consent_in_order ON person_consent (account_id, number);

        -- A result of a task.
        CREATE TABLE person_result (
            number \(dialect.numberedKey),
            account_id text NOT NULL REFERENCES person (account_id),
            -- `taskRunUUID` in lower case.
            uuid text NOT NULL,
            descriptor text NOT NULL,
            identifier text NOT NULL,
            size bigint NOT NULL,
            -- JSON as it was sent.
            content text NOT NULL,
            saved_at text NOT NULL
        );
        CREATE UNIQUE INDEX person_result_key ON person_result (account_id, uuid);
        CREATE INDEX person_result_in_order ON person_result (account_id, number);
        """
    }

    private static let team = SchemaSection("Teams") { _ in
        """
        -- A role of an account for the patients of a group.
        CREATE TABLE team_grant (
            id text PRIMARY KEY,
            account_id text NOT NULL,
            role text NOT NULL,
            -- NULL for all groups.
            group_name text,
            created_at text NOT NULL,
            ends_at text,
            revoked_at text
        );
        CREATE INDEX team_grant_of ON team_grant (account_id) WHERE revoked_at IS NULL;

        -- An account as a patient in a group, for one audience. The row of a deleted account stays, with its id alone, so
        -- that its readers find out that it left.
        CREATE TABLE patient_membership (
            group_name text NOT NULL,
            audience text NOT NULL,
            account_id text NOT NULL,
            -- The number of the change with which the account became visible for the first time.
            entered bigint NOT NULL,
            -- The number of the last change.
            number bigint NOT NULL,
            -- 1 while the account is visible.
            is_open bigint NOT NULL,
            PRIMARY KEY (group_name, audience, account_id)
        );
        CREATE INDEX patient_membership_in_order ON patient_membership (group_name, audience, number);
        CREATE INDEX patient_membership_of ON patient_membership (account_id);
        """
    }
}
