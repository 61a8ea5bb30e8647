import Audit
import Core
import Foundation
import Identity
import ResearchResults
import Storage

/// The people store: accounts of identified people, their data, and the grants of teams.
///
/// It is a database of its own. It has the tables of accounts, authorizations and audit that the records' store has too,
/// and the same code uses them.
package struct PeopleStore: AuditedStore {
    package let audit: AuditLog
    /// The groups of the study; the first one is the default.
    package let groups: [String]
    /// The title of the study, for mails.
    let title: String
    /// Cost of new passwords.
    let passwordCost: PasswordHash.Cost
    let accounts: AccountStore
    let authorizations: AuthorizationStore
    /// The mails to account holders.
    package let mails: MailQueue

    /// Creates the store for the database of the audit.
    ///
    /// - Parameters:
    ///   - groups: the groups of the study; the first one is the default.
    ///   - title: the title of the study, for mails.
    ///   - arrivals: signalled after a mail was queued.
    ///   - passwordCost: cost of new passwords.
    package init(
        audit: AuditLog, groups: [String], title: String, arrivals: ArrivalSignal = ArrivalSignal(),
        passwordCost: PasswordHash.Cost = .standard
    ) {
        self.passwordCost = passwordCost
        self.audit = audit
        self.groups = groups
        self.title = title
        accounts = AccountStore(
            audit: audit,
            usernames: UsernameRule(
                maximumBytes: EmailAddress.maximumBytes, message: EmailAddressError().message,
                normalize: { EmailAddress.username(of: $0) }))
        authorizations = AuthorizationStore(audit: audit)
        mails = MailQueue(database: audit.database, arrivals: arrivals, date: audit.clock)
    }

    /// Prepares a new store: its identity, and the client that the apps of account holders share. Does nothing in a
    /// prepared store.
    package func prepare() async throws {
        guard try await database.read({ try $0.first("SELECT 1 AS one FROM people_state") }) == nil else { return }
        let epoch = RandomID.make(random)
        let key = Data(random(32))
        let process = UUID(random(16), version: .random).uuidString
        let now = clock()
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO people_state (id, epoch, cursor_key, number, care_process) VALUES (1, ?, ?, 0, ?)
                ON CONFLICT (id) DO NOTHING
                """, [SQLValue(epoch), SQLValue(key), SQLValue(process)])
            try AuthorizationStore.registerAppClient(at: now, in: transaction)
        }
    }

    /// Gives a restored store a new identity: cursors from before the restore start again. All sessions and codes end,
    /// because tokens and codes that were used since the backup would be valid again. Care plans get a new process of the
    /// server, because copies may know later clocks of the former one.
    package static func renew(
        random: (Int) -> [UInt8] = SystemRandom.bytes, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            "UPDATE people_state SET epoch = ?, cursor_key = ?, care_process = ?, is_restored = 1",
            [
                SQLValue(RandomID.make(random)), SQLValue(Data(random(32))),
                SQLValue(UUID(random(16), version: .random).uuidString),
            ])
        try transaction.execute("DELETE FROM care_session")
        try AuthorizationStore.endAuthorizations(in: transaction)
        try transaction.execute("DELETE FROM account_code")
    }
}

/// The identity of the people store.
package struct PeopleState: Sendable {
    /// Replaced by each restore of a backup.
    package let epoch: String
    /// The key that authenticates cursors.
    let cursorKey: Data
    /// The number of the last change.
    let number: Int64
    /// The server's own process in the vectors of care plans.
    package let careProcess: UUID
    /// Whether the store was restored from a backup.
    package let isRestored: Bool

    /// Reads the identity.
    package init(in transaction: any SQLTransaction) throws {
        guard let row = try transaction.first("SELECT * FROM people_state WHERE id = 1") else {
            throw StorageError(code: "storage-column", message: "The people store has no state.")
        }
        epoch = try row.text("epoch")
        cursorKey = try row.blob("cursor_key")
        number = try row.integer("number")
        guard let process = UUID(text: try row.text("care_process")) else {
            throw StorageError(code: "storage-column", message: "The people store has no process for care plans.")
        }
        careProcess = process
        isRestored = try row.integer("is_restored") != 0
    }

    /// Takes the number of a change. Transactions with changes are committed one after the other, because each holds the
    /// row, so that a reader of one number has seen all earlier ones.
    static func nextNumber(in transaction: any SQLTransaction) throws -> Int64 {
        guard
            let row = try transaction.query(
                "UPDATE people_state SET number = number + 1 WHERE id = 1 RETURNING number", []
            ).first
        else { throw StorageError(code: "storage-column", message: "The people store has no state.") }
        return try row.integer("number")
    }
}
