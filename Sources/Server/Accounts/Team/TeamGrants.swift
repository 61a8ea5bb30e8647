import AccessPolicy
import Audit
import Foundation
import Storage

extension PeopleStore {
    /// Maximum number of grants in force of one account.
    package static let maximumGrants = 100

    /// Gives an account a role.
    ///
    /// - Parameters:
    ///   - group: a group of the study, or ``AccessPolicy/TeamGrant/allGroups``.
    ///   - end: nil for a grant without end.
    /// - Returns: the id of the grant.
    /// - Throws: ``AccessError`` `account-unknown`, `group-unknown`, `grant-ended`, `grants-too-many`, or the policy's
    ///   reason.
    package func grant(
        _ role: TeamRole, to account: String, group: String, until end: Date?, by actor: Actor
    ) async throws -> String {
        let now = clock()
        guard group == TeamGrant.allGroups || groups.contains(group) else { throw AccessError.groupUnknown(groups) }
        guard end.map({ $0 > now }) ?? true else {
            throw AccessError(code: "grant-ended", message: "The end of the grant is in the past; name a later time.")
        }
        let id = RandomID.make(random)
        try await database.write { transaction in
            try audit.require(
                actor, .manageGrants, target: Target(resourceType: "grant", resourceID: id, subject: account),
                message: "This account may not give roles.", in: transaction)
            guard try Person.find(account, in: transaction) != nil else { throw AccessError.accountUnknown }
            let count = try transaction.first(
                "SELECT count(*) AS n FROM team_grant WHERE account_id = ? AND revoked_at IS NULL", [SQLValue(account)])
            guard try count?.integer("n") ?? 0 < Self.maximumGrants else {
                throw AccessError(
                    code: "grants-too-many", message: "An account has up to \(Self.maximumGrants) grants; revoke one.")
            }
            try transaction.execute(
                """
                INSERT INTO team_grant (id, account_id, role, group_name, created_at, ends_at) VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(id), SQLValue(account), SQLValue(role.rawValue),
                    SQLValue(group == TeamGrant.allGroups ? nil : group), SQLValue(now), SQLValue(end),
                ])
            try MembershipStore.refreshMemberships(of: account, in: transaction)
        }
        return id
    }

    /// Revokes a grant.
    ///
    /// - Throws: ``AccessError`` `grant-unknown`, or the policy's reason.
    package func revokeGrant(_ id: String, by actor: Actor) async throws {
        let now = clock()
        try await database.write { transaction in
            guard let row = try transaction.first("SELECT account_id FROM team_grant WHERE id = ?", [SQLValue(id)])
            else {
                throw AccessError(code: "grant-unknown", message: "There is no grant with this id.")
            }
            let account = try row.text("account_id")
            try audit.require(
                actor, .manageGrants, target: Target(resourceType: "grant", resourceID: id, subject: account),
                message: "This account may not revoke roles.", in: transaction)
            try transaction.execute(
                "UPDATE team_grant SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?",
                [SQLValue(now), SQLValue(id)])
            try MembershipStore.refreshMemberships(of: account, in: transaction)
        }
    }

    /// Returns the grants of an account that were not revoked, in the order of their creation.
    static func grants(of account: String, in transaction: any SQLTransaction) throws -> [TeamGrant] {
        try transaction.query(grantsSQL, [SQLValue(account)]).map { try TeamGrant($0) }
    }

    /// Returns an account as a reader of others.
    func reader(_ actor: Actor, _ person: Person, in transaction: any SQLTransaction) throws -> AccountReader {
        AccountReader(
            actor: actor, isVerified: person.isVerified, grants: try Self.grants(of: person.id, in: transaction))
    }

    /// Parameter: account.
    static let grantsSQL = """
        SELECT * FROM team_grant WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, id
        """
}

extension TeamGrant {
    init(_ row: SQLRow) throws {
        guard let role = TeamRole(rawValue: try row.text("role")) else {
            throw StorageError(code: "storage-column", message: "A grant has an unknown role.")
        }
        self.init(
            id: try row.text("id"), account: try row.text("account_id"), role: role,
            group: row.textIfPresent("group_name"), end: row.dateIfPresent("ends_at"))
    }
}

extension AccessError {
    static let accountUnknown = AccessError(code: "account-unknown", message: "There is no account with this id.")

    static func groupUnknown(_ groups: [String]) -> AccessError {
        AccessError(
            code: "group-unknown", message: "The study has no such group; it has: \(groups.joined(separator: ", ")).")
    }
}
