import AccessPolicy
import Audit
import Foundation
import Identity
import ResearchResults
import Storage

extension PeopleStore {
    /// Seconds until an access token expires.
    static let tokenLifetime: TimeInterval = 3_600
    /// Seconds until a session that is not refreshed ends.
    static let sessionLifetime: TimeInterval = 30 * 86_400
    /// Seconds for which a used refresh token is still valid.
    static let refreshGrace: TimeInterval = 60

    /// The input of a sign-up.
    struct SignUp: Sendable {
        let email: EmailAddress
        let profile: AccountProfile
        /// nil for the default group.
        let group: String?
    }

    /// Creates an account with its profile, sends the code of verification, and begins a session, in one transaction.
    ///
    /// - Throws: ``AccessError`` `group-unknown`, `username-taken`.
    func signUp(_ input: SignUp, password hash: PasswordHash) async throws -> IssuedTokens {
        let group = try checked(group: input.group)
        let new = try accounts.newAccount(username: input.email.text, role: .accountHolder)
        let tokens = authorizations.newTokens()
        let code = OneTimeCode.make(random)
        return try await database.write { transaction in
            let decision = try audit.decide(
                nil, action: .signUp, target: Target(resourceType: "account", subject: new.id), in: transaction)
            guard decision.allowed else {
                throw AccessError(code: decision.reason, message: "This server takes no sign-ups; ask the study team.")
            }
            let account = try insert(new, input, password: hash, groups: group.map { [$0] } ?? [], in: transaction)
            try sendCode(code, for: .verification, to: account.id, at: input.email.text, in: transaction)
            return try authorizations.beginAppSession(
                of: account, with: tokens, lifetime: Self.tokenLifetime, end: Self.sessionLifetime, in: transaction)
        }
    }

    /// Creates an account without a password, and queues the mail with the code that sets one.
    ///
    /// - Returns: the id of the account.
    /// - Throws: ``AccessError`` `username-invalid`, `username-taken`, `group-unknown`, or the policy's reason.
    package func create(email: String, group: String?, by actor: Actor) async throws -> String {
        let address: EmailAddress
        do { address = try EmailAddress(email) } catch { throw AccessError(code: error.code, message: error.message) }
        let group = try checked(group: group)
        let new = try accounts.newAccount(username: address.text, role: .accountHolder)
        let code = OneTimeCode.make(random)
        try await database.write { transaction in
            try audit.require(
                actor, .managePeople, target: Target(resourceType: "account", subject: new.id),
                message: "This account may not manage other accounts.", in: transaction)
            let input = SignUp(email: address, profile: AccountProfile(), group: group)
            let account = try insert(new, input, password: nil, groups: group.map { [$0] } ?? [], in: transaction)
            try sendCode(code, for: .reset, to: account.id, at: address.text, in: transaction)
        }
        return new.id
    }

    private func checked(group: String?) throws -> String? {
        guard let group else { return groups.first }
        guard groups.contains(group) else { throw AccessError.groupUnknown(groups) }
        return group
    }

    private func insert(
        _ new: AccountStore.NewAccount, _ input: SignUp, password: PasswordHash?, groups: [String],
        in transaction: any SQLTransaction
    ) throws -> UserAccount {
        let account = try accounts.insert(new, password: password, in: transaction)
        try transaction.execute(
            "INSERT INTO person (account_id, email, profile) VALUES (?, ?, ?)",
            [SQLValue(account.id), SQLValue(input.email.text), SQLValue(input.profile.json.text())])
        for group in groups {
            try transaction.execute(
                "INSERT INTO person_group (account_id, group_name) VALUES (?, ?)",
                [SQLValue(account.id), SQLValue(group)])
        }
        try MembershipStore.refreshMemberships(of: account.id, in: transaction)
        try MembershipStore.record(.profile, of: account.id, in: transaction)
        return account
    }

    /// Signs in.
    ///
    /// - Returns: nil if address or password are wrong.
    /// - Throws: ``Identity/PasswordQueueError``.
    func signIn(
        email: String, password: String, checker: PasswordChecker, from origin: PasswordChecker.Origin
    ) async throws -> IssuedTokens? {
        let tokens = authorizations.newTokens()
        return try await accounts.authenticate(
            username: email, password: password, checker: checker, from: origin, cost: passwordCost
        ) { account, transaction in
            guard try Person.find(account.id, in: transaction) != nil,
                try audit.decide(account.actor, action: .signIn, target: Target(), in: transaction).allowed
            else { return nil }
            return try authorizations.beginAppSession(
                of: account, with: tokens, lifetime: Self.tokenLifetime, end: Self.sessionLifetime, in: transaction)
        }
    }

    /// Exchanges a refresh token for new tokens.
    ///
    /// - Throws: ``Identity/RedemptionRefusal``.
    func refresh(_ token: String) async throws -> IssuedTokens {
        try await authorizations.refreshAppSession(
            token, lifetime: Self.tokenLifetime, end: Self.sessionLifetime, grace: Self.refreshGrace)
    }
}
