import AccessPolicy
import Foundation
import Storage

/// Changes of patients, as the lists of their readers report them. Each change has a number; the numbers of the store
/// increase in the order of the commits.
enum MembershipStore {
    /// Records a change of an account's data for the audience that may read it.
    static func record(_ data: AccountData, of account: String, in transaction: any SQLTransaction) throws {
        let number = try PeopleState.nextNumber(in: transaction)
        try transaction.execute(
            "UPDATE person SET \(column(of: data)) = ? WHERE account_id = ?", [SQLValue(number), SQLValue(account)])
        try transaction.execute(
            "UPDATE patient_membership SET number = ? WHERE account_id = ? AND audience = ? AND is_open = 1",
            [SQLValue(number), SQLValue(account), SQLValue(data.audience.rawValue)])
    }

    /// Column with the number of the last change of this data.
    static func column(of data: AccountData) -> String { "\(data.rawValue)_number" }

    /// Opens and closes the memberships of an account after a change of its groups, its sharing or its own grants.
    ///
    /// An account is a patient in its groups while it shares its data and has no grant itself: a member of a team is no
    /// patient.
    static func refreshMemberships(of account: String, in transaction: any SQLTransaction) throws {
        let person = try Person.find(account, in: transaction)
        let isMember =
            try transaction.first(
                "SELECT 1 AS one FROM team_grant WHERE account_id = ? AND revoked_at IS NULL", [SQLValue(account)])
            != nil
        let isPatient = person?.isSharing == true && !isMember
        let groups = isPatient ? try Person.groups(of: account, in: transaction) : []
        let wanted = Set(
            groups.flatMap { group in
                TeamAudience.allCases.map { GroupAudience(group: group, audience: $0) }
            })
        let present = try memberships(of: account, in: transaction)
        guard present != wanted else { return }
        let number = try PeopleState.nextNumber(in: transaction)
        for closed in present.subtracting(wanted).sorted() {
            try transaction.execute(
                """
                UPDATE patient_membership SET is_open = 0, number = ?
                WHERE group_name = ? AND audience = ? AND account_id = ?
                """,
                [SQLValue(number), SQLValue(closed.group), SQLValue(closed.audience.rawValue), SQLValue(account)])
        }
        for opened in wanted.subtracting(present).sorted() {
            try transaction.execute(
                """
                INSERT INTO patient_membership (group_name, audience, account_id, entered, number, is_open)
                VALUES (?, ?, ?, ?, ?, 1)
                ON CONFLICT (group_name, audience, account_id) DO UPDATE SET number = excluded.number, is_open = 1
                """,
                [
                    SQLValue(opened.group), SQLValue(opened.audience.rawValue), SQLValue(account), SQLValue(number),
                    SQLValue(number),
                ])
        }
    }

    /// Returns the groups in which an account is visible as a patient, each with its audience.
    static func memberships(of account: String, in transaction: any SQLTransaction) throws -> Set<GroupAudience> {
        Set(
            try transaction.query(membershipsSQL, [SQLValue(account)]).compactMap { row in
                TeamAudience(rawValue: try row.text("audience")).map { audience in
                    (try? row.text("group_name")).map { GroupAudience(group: $0, audience: audience) }
                } ?? nil
            })
    }

    /// Parameter: account.
    static let membershipsSQL =
        "SELECT group_name, audience FROM patient_membership WHERE account_id = ? AND is_open = 1"
}
