import Storage

/// The tables of mail in the people store.
package enum MailSchema {
    package static let sections = [
        SchemaSection("Mail") { dialect in
            """
            -- A mail that waits. Its row is deleted when a server has accepted it, or when all attempts have failed.
            CREATE TABLE mail_message (
                number \(dialect.numberedKey),
                -- A random id. It is also in the mail's Message-ID.
                id text NOT NULL UNIQUE,
                -- The e-mail address.
                recipient text NOT NULL,
                subject text NOT NULL,
                body text NOT NULL,
                created_at text NOT NULL,
                -- The time of the next attempt. During an attempt: the end of its lease.
                due_at text NOT NULL,
                -- The number of attempts that failed.
                attempts bigint NOT NULL DEFAULT 0,
                -- The random id of the attempt in progress, and the process that makes it.
                lease text,
                lease_owner text
            );
            CREATE INDEX mail_message_due ON mail_message (due_at, number);
            CREATE INDEX mail_message_by_recipient ON mail_message (recipient);
            CREATE INDEX mail_message_by_owner ON mail_message (lease_owner) WHERE lease_owner IS NOT NULL;
            """
        }
    ]
}
