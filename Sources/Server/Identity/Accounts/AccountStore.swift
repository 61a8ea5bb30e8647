import AccessPolicy
import Audit
import Core
import Foundation
import Storage

/// Accounts of people who sign in, and their sessions.
package struct AccountStore: AuditedStore {
    package let audit: AuditLog
    let usernames: UsernameRule

    /// Creates the store for the database of the audit.
    ///
    /// - Parameter usernames: the rule for the names of its accounts.
    package init(audit: AuditLog, usernames: UsernameRule = .ascii) {
        self.audit = audit
        self.usernames = usernames
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: nil to generate one.
    ///   - patient: Patient of a participant.
    /// - Returns: the account, and its password if it was generated; the only time it is returned.
    /// - Throws: ``AccessError`` `username-invalid`, `username-taken`, `account-invalid`, `password-invalid`,
    ///   `participant-deleted`, or the policy's reason.
    package func createAccount(
        username: String, role: Role, patient: String? = nil, practitioner: String? = nil, password: String? = nil,
        cost: PasswordHash.Cost = .standard, by actor: Actor
    ) async throws -> (account: UserAccount, password: String?) {
        let made = password == nil ? makePassword() : nil
        let hash = try PasswordHash(of: made ?? password ?? "", salt: Data(random(16)), cost: cost)
        let new = try newAccount(username: username, role: role, patient: patient, practitioner: practitioner)
        let account = try await database.write { transaction in
            try requirePeople(actor, new.id, in: transaction)
            return try insert(new, password: hash, in: transaction)
        }
        return (account, made)
    }

    /// Properties of an account to create.
    package struct NewAccount: Sendable {
        package let id: String
        let name: String
        let role: Role
        let patient: String?
        let practitioner: String?
    }

    /// Checks the properties of an account to create.
    ///
    /// - Throws: ``AccessError`` `username-invalid`, `account-invalid`.
    package func newAccount(
        username: String, role: Role, patient: String? = nil, practitioner: String? = nil
    ) throws(AccessError) -> NewAccount {
        guard let name = usernames.name(username) else {
            throw AccessError(code: "username-invalid", message: usernames.message)
        }
        guard UserAccount.roles.contains(role), (role == .participant) == (patient != nil),
            practitioner == nil || role == .practitioner || role == .staff, patient.map(ResourceName.isID) ?? true,
            practitioner.map(ResourceName.isID) ?? true
        else {
            throw AccessError(
                code: "account-invalid",
                message:
                    "A participant needs the id of a Patient; a practitioner or staff may have that of a Practitioner."
            )
        }
        return NewAccount(
            id: RandomID.make(random), name: name, role: role, patient: patient, practitioner: practitioner)
    }

    /// Creates an account as part of a transaction. The caller has decided whether it may.
    ///
    /// - Parameter hash: nil for an account that cannot sign in before it gets a password.
    /// - Throws: ``AccessError`` `username-taken`, `participant-deleted`.
    package func insert(
        _ new: NewAccount, password hash: PasswordHash?, in transaction: any SQLTransaction
    ) throws -> UserAccount {
        if let patient = new.patient, try DeletionRegister().isDeleted(patient, in: transaction) {
            throw AccessError(code: DeletionRegister.code, message: "This participant was deleted.")
        }
        let inserted = try transaction.execute(
            """
            INSERT INTO user_account (id, username, password, role, participant, practitioner, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (username) DO NOTHING
            """,
            [
                SQLValue(new.id), SQLValue(new.name), SQLValue(hash?.text ?? ""), SQLValue(new.role.rawValue),
                SQLValue(new.patient), SQLValue(new.practitioner), SQLValue(clock()),
            ])
        guard inserted > 0, let account = try Self.account(id: new.id, in: transaction) else {
            throw AccessError.usernameTaken
        }
        return account
    }

    /// Returns all accounts by name, including disabled ones.
    package func all() async throws -> [UserAccount] {
        try await database.read {
            try $0.query("SELECT * FROM user_account ORDER BY username").map { try UserAccount($0) }
        }
    }

    /// Changes the password of an account, and ends its sessions and the authorizations of apps.
    ///
    /// - Returns: the password if it was generated; nil if it was given.
    /// - Throws: ``AccessError`` `account-unknown`, `password-invalid`, or the policy's reason.
    package func changePassword(
        username: String, to password: String? = nil, cost: PasswordHash.Cost = .standard, by actor: Actor
    ) async throws -> String? {
        let made = password == nil ? makePassword() : nil
        let hash = try PasswordHash(of: made ?? password ?? "", salt: Data(random(16)), cost: cost)
        try await change(username, by: actor) { id, transaction in
            try transaction.execute(
                "UPDATE user_account SET password = ? WHERE id = ?", [SQLValue(hash.text), SQLValue(id)])
        }
        return made
    }

    /// Disables an account, and ends its sessions and the authorizations of apps.
    ///
    /// - Throws: ``AccessError`` `account-unknown`, or the policy's reason.
    package func disableAccount(username: String, by actor: Actor) async throws {
        let now = SQLValue(clock())
        try await change(username, by: actor) { id, transaction in
            try transaction.execute(
                "UPDATE user_account SET disabled_at = COALESCE(disabled_at, ?) WHERE id = ?", [now, SQLValue(id)])
        }
    }

    /// Returns the account with this id, unless it is disabled.
    package static func account(id: String, in transaction: any SQLTransaction) throws -> UserAccount? {
        try transaction.first("SELECT * FROM user_account WHERE id = ? AND disabled_at IS NULL", [SQLValue(id)])
            .map { try UserAccount($0) }
    }

    private func change(
        _ username: String, by actor: Actor, _ body: @escaping @Sendable (String, any SQLTransaction) throws -> Void
    ) async throws {
        let name = SQLValue(usernames.name(username))
        try await database.write { transaction in
            guard let id = try transaction.first(Self.accountSQL, [name])?.text("id") else {
                throw AccessError(code: "account-unknown", message: "There is no account with this name.")
            }
            try requirePeople(actor, id, in: transaction)
            try body(id, transaction)
            try Self.end(account: id, in: transaction)
        }
    }

    /// Ends the sessions of an account and the authorizations that it gave to apps.
    package static func end(account id: String, in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM user_session WHERE account_id = ?", [SQLValue(id)])
        let given = try transaction.query(
            "SELECT id FROM access_authorization WHERE account_id = ?", [SQLValue(id)])
        try AuthorizationStore.remove(authorizations: given, in: transaction)
    }

    private func requirePeople(_ actor: Actor, _ id: String, in transaction: any SQLTransaction) throws {
        try audit.require(
            actor, .managePeople, target: Target(resourceType: "UserAccount", resourceID: id),
            message: "This account may not manage other accounts.", in: transaction)
    }

    /// Returns 100 random bits as 20 characters of lowercase base32, in groups for reading aloud.
    private func makePassword() -> String {
        let text = Array(Base32.text(random(13)).prefix(20))
        return stride(from: 0, to: text.count, by: 5).map { String(text[$0..<$0 + 5]) }.joined(separator: "-")
    }

    /// Parameter: normalized name.
    static let accountSQL = "SELECT * FROM user_account WHERE username = ?"
}

extension AccessError {
    /// Another account has the name.
    static let usernameTaken = AccessError(
        code: "username-taken", message: "There is already an account with this name.")
}
