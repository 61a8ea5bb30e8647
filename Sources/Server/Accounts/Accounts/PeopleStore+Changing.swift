import AccessPolicy
import Audit
import Foundation
import Identity
import ResearchResults
import Storage

extension PeopleStore {
    /// Records an act of an account holder on their own data.
    func record(_ account: String, _ what: String, in transaction: any SQLTransaction) throws {
        try audit.require(
            Actor(id: account, role: .accountHolder), .useAccount, target: Target(resourceType: what, subject: account),
            message: "This account may not do this.", in: transaction)
    }

    /// A change that needs the password again.
    enum Change: Sendable {
        case email(EmailAddress)
        case password(PasswordHash)
        case deletion
    }

    /// Makes a change if the password is right, and notifies the owner by mail.
    ///
    /// - Parameter account: the signed-in account.
    /// - Returns: false if the password is wrong.
    /// - Throws: ``AccessError`` `username-taken`; ``Identity/PasswordQueueError``.
    func change(
        _ change: Change, of account: UserAccount, password: String, checker: PasswordChecker,
        from origin: PasswordChecker.Origin
    ) async throws -> Bool {
        let code = OneTimeCode.make(random)
        let now = clock()
        return try await accounts.authenticate(
            username: account.username, password: password, checker: checker, from: origin, cost: passwordCost
        ) { current, transaction -> Bool? in
            guard current.id == account.id, let person = try Person.find(account.id, in: transaction) else {
                return nil
            }
            switch change {
            case .email(let address):
                try accounts.rename(account: account.id, to: address.text, in: transaction)
                try transaction.execute(
                    "UPDATE person SET email = ?, verified_at = NULL WHERE account_id = ?",
                    [SQLValue(address.text), SQLValue(account.id)])
                try endCodes(.verification, of: account.id, in: transaction)
                // A code that was sent to the former address must not change the password.
                try endCodes(.reset, of: account.id, in: transaction)
                try MembershipStore.record(.profile, of: account.id, in: transaction)
                try record(account.id, "email", in: transaction)
                try send(.emailChanged, to: person.email, in: transaction)
                try sendCode(code, for: .verification, to: account.id, at: address.text, in: transaction)
            case .password(let hash):
                try AccountStore.replace(password: hash, of: account.id, in: transaction)
                try endCodes(.reset, of: account.id, in: transaction)
                try record(account.id, "password", in: transaction)
                try send(.passwordChanged, to: person.email, in: transaction)
            case .deletion:
                try record(account.id, "deletion", in: transaction)
                try requestDeletion(of: person, at: now, in: transaction)
            }
            return true
        } ?? false
    }

    /// Requests the deletion of an account by the study team.
    ///
    /// - Throws: ``AccessError`` `account-unknown`, or the policy's reason.
    package func requestDeletion(of account: String, by actor: Actor) async throws {
        let now = clock()
        try await database.write { transaction in
            try audit.require(
                actor, .managePeople, target: Target(resourceType: "account", subject: account),
                message: "This account may not manage other accounts.", in: transaction)
            guard let person = try Person.find(account, in: transaction) else { throw AccessError.accountUnknown }
            try requestDeletion(of: person, at: now, in: transaction)
        }
    }

    /// Ends all sessions at once; the job deletes the data soon after. Readers see the patient leave at once.
    private func requestDeletion(of person: Person, at now: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE person SET deletion_requested_at = ? WHERE account_id = ?", [SQLValue(now), SQLValue(person.id)])
        try AccountStore.end(account: person.id, in: transaction)
        try MembershipStore.refreshMemberships(of: person.id, in: transaction)
        // Codes that wait are of no use any more.
        try MailQueue.removeAll(to: EmailAddress(person.email), in: transaction)
        try send(.accountDeleted, to: person.email, in: transaction)
    }

    /// Permits or forbids teams to read the data.
    func setSharing(_ isSharing: Bool, of account: String) async throws {
        try await database.write { transaction in
            try record(account, "sharing", in: transaction)
            try transaction.execute(
                "UPDATE person SET sharing = ? WHERE account_id = ?", [SQLValue(isSharing), SQLValue(account)])
            try MembershipStore.refreshMemberships(of: account, in: transaction)
        }
    }

    /// Ends the session.
    func signOut(_ session: AppSession) async throws {
        try await database.write { try authorizations.revoke(session.id, in: $0) }
    }
}
