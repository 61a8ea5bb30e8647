import AccessPolicy
import Audit
import Core
import Foundation
import Identity
import ResearchResults
import Storage

/// An account for the study team.
package struct ListedAccount: Sendable, Hashable {
    package let id: String
    package let email: String
    package let isVerified: Bool
    package let groups: [String]
    /// The grants that were not revoked.
    package let grants: [TeamGrant]
}

extension PeopleStore {
    /// Returns accounts in the order of their ids.
    ///
    /// - Parameters:
    ///   - account: nil for all accounts.
    ///   - last: the id of the last account of the previous page; nil for the first page.
    /// - Throws: ``AccessError`` `account-unknown` for an unknown `account`, or the policy's reason.
    package func list(
        account: String? = nil, after last: String? = nil, limit: Int = 1_000, by actor: Actor
    ) async throws -> [ListedAccount] {
        let accounts = try await database.write { transaction in
            try audit.require(
                actor, .managePeople, target: Target(resourceType: "account", subject: account),
                message: "This account may not list accounts.", in: transaction)
            let rows =
                if let account {
                    try transaction.query(Person.personSQL, [SQLValue(account)])
                } else {
                    try transaction.query(
                        "SELECT * FROM person WHERE account_id > ? ORDER BY account_id LIMIT ?",
                        [SQLValue(last ?? ""), SQLValue(limit)])
                }
            return try rows.map { try Person($0) }.map { person in
                ListedAccount(
                    id: person.id, email: person.email, isVerified: person.isVerified,
                    groups: try Person.groups(of: person.id, in: transaction),
                    grants: try Self.grants(of: person.id, in: transaction))
            }
        }
        guard account == nil || !accounts.isEmpty else { throw AccessError.accountUnknown }
        return accounts
    }

    /// A requested deletion.
    package struct DeletionRequest: Sendable, Hashable {
        package let account: String
        package let email: String
        package let requestedAt: Date
        /// Whether a mail to the address is in the queue.
        package let hasNotice: Bool
    }

    /// Returns the oldest requested deletions.
    package static func deletionRequests(in transaction: any SQLTransaction) throws -> [DeletionRequest] {
        try transaction.query(deletionsSQL).map { row in
            DeletionRequest(
                account: try row.text("account_id"), email: try row.text("email"),
                requestedAt: try row.date("deletion_requested_at"), hasNotice: try row.integer("has_notice") != 0)
        }
    }

    static let deletionsSQL = """
        SELECT account_id, email, deletion_requested_at,
            CASE WHEN EXISTS (SELECT 1 FROM mail_message m WHERE m.recipient = person.email) THEN 1 ELSE 0 END AS has_notice
        FROM person WHERE deletion_requested_at IS NOT NULL ORDER BY deletion_requested_at LIMIT 100
        """

    /// Returns all account ids after another one, to find those that were deleted before a restore.
    package static func accountIDs(
        after last: String, limit: Int, in transaction: any SQLTransaction
    ) throws -> [String] {
        try transaction.query(
            "SELECT account_id FROM person WHERE account_id > ? ORDER BY account_id LIMIT ?",
            [SQLValue(last), SQLValue(limit)]
        ).map { try $0.text("account_id") }
    }

    /// Returns the number of accounts.
    package static func accountCount(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS rows FROM person")?.integer("rows") ?? 0)
    }

    /// Deletes the mails in the queue to an account's address.
    package static func deleteMails(to account: String, in transaction: any SQLTransaction) throws {
        guard let row = try transaction.first(Person.personSQL, [SQLValue(account)]) else { return }
        try MailQueue.removeAll(to: EmailAddress(row.text("email")), in: transaction)
    }

    /// Deletes an account with everything that belongs to it. Only its id remains, in the memberships, so that readers
    /// find out that it left. The mail of the deletion stays in the queue until it is sent.
    package static func delete(_ account: String, in transaction: any SQLTransaction) throws {
        let id = [SQLValue(account)]
        try transaction.execute("UPDATE team_grant SET revoked_at = created_at WHERE account_id = ?", id)
        try transaction.execute("DELETE FROM person_group WHERE account_id = ?", id)
        try MembershipStore.refreshMemberships(of: account, in: transaction)
        try transaction.execute("UPDATE care_push SET actor = NULL WHERE actor = ?", id)
        let tables = [
            "account_code", "person_blob", "person_consent", "person_result", "care_session", "care_clock",
            "care_version", "care_vector", "care_push", "care_log", "team_grant", "person",
        ]
        for table in tables {
            try transaction.execute("DELETE FROM \(table) WHERE account_id = ?", id)
        }
        try AccountStore.delete(account: account, in: transaction)
        _ = try AuditLog.forget(account, keepsAudit: false, in: transaction)
    }
}
