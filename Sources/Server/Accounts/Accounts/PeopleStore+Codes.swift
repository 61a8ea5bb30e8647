import AccessPolicy
import Audit
import Foundation
import Identity
import ResearchResults
import Storage

/// Purpose of a code that is sent by mail. The raw value is stored.
enum CodePurpose: String, Sendable {
    /// Proves that the person receives mail at the address.
    case verification
    /// Permits to choose a new password.
    case reset

    /// Seconds until the code expires.
    var lifetime: Int {
        switch self {
        case .verification: 7 * 86_400
        case .reset: 3_600
        }
    }
}

extension PeopleStore {
    /// Maximum number of codes of one purpose that an account has at a time. Further requests send no mail, so that a
    /// stranger cannot flood a person's mailbox.
    static let maximumCodes = 3

    /// Stores a code and queues the mail with it.
    func sendCode(
        _ code: String, for purpose: CodePurpose, to account: String, at email: String,
        in transaction: any SQLTransaction
    ) throws {
        let now = clock()
        try transaction.execute("DELETE FROM account_code WHERE expires_at <= ?", [SQLValue(now)])
        let waiting = try transaction.query(
            Self.codesSQL, [SQLValue(account), SQLValue(purpose.rawValue), SQLValue(Self.maximumCodes)])
        guard waiting.count < Self.maximumCodes else { return }
        try transaction.execute(
            """
            INSERT INTO account_code (secret_digest, account_id, purpose, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
            """,
            [
                SQLValue(SecretDigest(of: code).hex), SQLValue(account), SQLValue(purpose.rawValue), SQLValue(now),
                SQLValue(now.addingTimeInterval(Double(purpose.lifetime))),
            ])
        let mail: AccountMail =
            switch purpose {
            case .verification: .verification(code: code, lifetime: purpose.lifetime)
            case .reset: .passwordReset(code: code, lifetime: purpose.lifetime)
            }
        try send(mail, to: email, in: transaction)
    }

    /// Queues a mail as part of the transaction of its cause.
    func send(_ mail: AccountMail, to email: String, in transaction: any SQLTransaction) throws {
        try mails.enqueue(mail.content(to: EmailAddress(email), study: title), in: transaction)
    }

    /// Queues the mail with a code for a new password, if there is an account with the address. The caller does not find
    /// out whether there is one.
    func requestReset(email: String) async throws {
        let code = OneTimeCode.make(random)
        try await database.write { transaction in
            let account = try accounts.account(username: email, in: transaction)
            let target = Target(resourceType: "password", subject: account?.id)
            // The decision is on record in both cases, which also makes their durations similar.
            try audit.record(.permitted, by: nil, action: .signUp, target: target, in: transaction)
            guard let account, let person = try Person.find(account.id, in: transaction) else { return }
            try sendCode(code, for: .reset, to: person.id, at: person.email, in: transaction)
        }
    }

    /// Sets a new password with the code of a reset, and ends all sessions. The address is verified by it: the code came
    /// to it by mail.
    ///
    /// - Returns: false if the code is unknown, has expired or was used.
    func reset(code: String, password hash: PasswordHash) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            guard let person = try self.person(of: code, for: .reset, in: transaction) else { return false }
            try OneTimeCode.use(code, in: Self.codeTable, by: person.id, now: now, transaction: transaction)
            try AccountStore.replace(password: hash, of: person.id, in: transaction)
            try endCodes(.reset, of: person.id, in: transaction)
            try verify(person, at: now, in: transaction)
            try record(person.id, "password", in: transaction)
            try send(.passwordChanged, to: person.email, in: transaction)
            return true
        }
    }

    /// Whether a code is valid.
    func hasCode(_ code: String, for purpose: CodePurpose) async throws -> Bool {
        try await database.lookUp { try person(of: code, for: purpose, in: $0) != nil }
    }

    /// Verifies the address of an account.
    ///
    /// - Returns: false if the code is unknown, has expired, was used, or belongs to another account.
    func verify(code: String, account: String) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            guard let person = try self.person(of: code, for: .verification, in: transaction), person.id == account
            else {
                return false
            }
            try OneTimeCode.use(code, in: Self.codeTable, by: account, now: now, transaction: transaction)
            try endCodes(.verification, of: account, in: transaction)
            try verify(person, at: now, in: transaction)
            try record(account, "verification", in: transaction)
            return true
        }
    }

    private func verify(_ person: Person, at now: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE person SET verified_at = COALESCE(verified_at, ?) WHERE account_id = ?",
            [SQLValue(now), SQLValue(person.id)])
    }

    /// Ends the unused codes of one purpose.
    func endCodes(_ purpose: CodePurpose, of account: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "DELETE FROM account_code WHERE account_id = ? AND purpose = ? AND used_at IS NULL",
            [SQLValue(account), SQLValue(purpose.rawValue)])
    }

    private func person(
        of code: String, for purpose: CodePurpose, in transaction: any SQLTransaction
    ) throws -> Person? {
        guard let row = try OneTimeCode.row(of: code, in: Self.codeTable, now: clock(), transaction: transaction),
            try row.text("purpose") == purpose.rawValue
        else { return nil }
        return try Person.find(row.text("account_id"), in: transaction)
    }

    static let codeTable: StaticString = "account_code"
    /// Parameters: account, purpose, limit.
    static let codesSQL = """
        SELECT secret_digest FROM account_code WHERE account_id = ? AND purpose = ? AND used_at IS NULL
        ORDER BY created_at LIMIT ?
        """
}
