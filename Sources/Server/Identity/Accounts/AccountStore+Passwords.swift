import AccessPolicy
import Foundation
import Storage

extension AccountStore {
    /// Checks a name and a password, and runs `body` in a transaction in which both are still right.
    ///
    /// An unknown name takes as long as a known one, whatever the cost of its stored hash. A hash that is older than the
    /// cost is replaced in the same transaction.
    /// - Parameters:
    ///   - origin: origin of the password, which determines the order of the checks.
    ///   - body: it may run more than once.
    /// - Returns: nil if name or password are wrong, or the account is disabled.
    /// - Throws: ``PasswordQueueError`` if too many checks wait.
    package func authenticate<T: Sendable>(
        username: String, password: String, checker: PasswordChecker, from origin: PasswordChecker.Origin,
        cost: PasswordHash.Cost = .standard,
        _ body: @escaping @Sendable (UserAccount, any SQLTransaction) throws -> T?
    ) async throws -> T? {
        let name = SQLValue(usernames.name(username) ?? "")
        let row = try await database.lookUp { try $0.first(Self.accountSQL, [name]) }
        let stored = row?.textIfPresent("password").flatMap(PasswordHash.init(text:))
        guard let hash = stored ?? PasswordHash.unmatchable(cost) else { return nil }
        let check = try await checker.check(
            password, against: hash, cost: cost, salt: Data(random(16)), from: origin)
        guard check.isRight, stored != nil, let row else { return nil }
        let account = try UserAccount(row)
        return try await database.write { transaction in
            guard try Self.account(id: account.id, in: transaction) != nil,
                // The password may have changed meanwhile.
                try transaction.first(Self.accountSQL, [name])?.textIfPresent("password") == hash.text
            else { return nil }
            if let renewed = check.renewed { try Self.set(renewed, of: account.id, in: transaction) }
            return try body(account, transaction)
        }
    }

    /// Computes the hash of a new password in the queue of the password checks.
    ///
    /// - Throws: ``AccessError`` `password-invalid`; ``PasswordQueueError`` if too many checks wait.
    package func hash(
        of password: String, checker: PasswordChecker, from origin: PasswordChecker.Origin,
        cost: PasswordHash.Cost = .standard
    ) async throws -> PasswordHash {
        try PasswordHash.require(password)
        let salt = Data(random(16))
        let outcome = try await checker.run(from: origin) {
            Result { try PasswordHash(of: password, salt: salt, cost: cost) }
        }
        return try outcome.get()
    }

    /// Stores the hash of a new password, and ends all sessions of the account and the authorizations of apps.
    package static func replace(
        password hash: PasswordHash, of account: String, in transaction: any SQLTransaction
    ) throws {
        try set(hash, of: account, in: transaction)
        try end(account: account, in: transaction)
    }

    private static func set(_ hash: PasswordHash, of account: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE user_account SET password = ? WHERE id = ?", [SQLValue(hash.text), SQLValue(account)])
    }

    /// Gives an account another name.
    ///
    /// - Throws: ``AccessError`` `username-invalid`, `username-taken`.
    package func rename(account: String, to username: String, in transaction: any SQLTransaction) throws {
        guard let name = usernames.name(username) else {
            throw AccessError(code: "username-invalid", message: usernames.message)
        }
        if let other = try transaction.first(Self.accountSQL, [SQLValue(name)]) {
            guard try other.text("id") == account else { throw AccessError.usernameTaken }
            return
        }
        try transaction.execute(
            "UPDATE user_account SET username = ? WHERE id = ?", [SQLValue(name), SQLValue(account)])
    }

    /// Returns the account with a name; nil if there is none, or it is disabled.
    package func account(username: String, in transaction: any SQLTransaction) throws -> UserAccount? {
        guard let name = usernames.name(username),
            let row = try transaction.first(Self.accountSQL, [SQLValue(name)])
        else { return nil }
        let account = try UserAccount(row)
        return account.disabledAt == nil ? account : nil
    }
}
