import AccessPolicy
import Foundation
import Storage

/// An approval of an app by a person, for the person.
package struct AppApproval: Sendable, Hashable {
    /// The id of the authorization.
    package let id: String
    package let clientID: String
    package let clientName: String
    package let scopes: AccessScopes
    package let createdAt: Date
    package let expiresAt: Date

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        clientID = try row.text("client_id")
        clientName = try row.text("name")
        scopes = try AccessScopes(row.text("scopes"))
        createdAt = try row.date("created_at")
        expiresAt = try row.date("expires_at")
    }
}

extension AuthorizationStore {
    /// Returns the approvals in force that the accounts of a participant gave, the newest first.
    package func approvals(
        of participant: String, limit: Int, in transaction: any SQLTransaction
    ) throws -> [AppApproval] {
        try transaction.query(
            Self.approvalsSQL, [SQLValue(participant), SQLValue(clock()), SQLValue(limit)]
        ).map { try AppApproval($0) }
    }

    /// Ends an approval that an account of a participant gave, with all its tokens.
    ///
    /// - Parameter actor: the participant.
    /// - Returns: false if the participant gave no approval in force with this id.
    /// - Throws: ``AccessError`` with the policy's reason.
    package func endApproval(
        _ id: String, of participant: String, by actor: Actor, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard
            let row = try transaction.first(
                Self.approvalSQL, [SQLValue(id), SQLValue(participant), SQLValue(clock())])
        else { return false }
        try audit.require(
            actor, .endApproval,
            target: Target(resourceType: "Client", resourceID: try row.text("client_id"), subject: participant),
            message: "Only the person themselves can end this approval.", in: transaction)
        try revoke(id, in: transaction)
        return true
    }

    /// Parameters: participant, now, maximum number.
    static let approvalsSQL = """
        SELECT a.id, a.client_id, a.scopes, a.created_at, a.expires_at, c.name FROM user_account u
        JOIN access_authorization a ON a.account_id = u.id JOIN registered_client c ON c.id = a.client_id
        WHERE u.participant = ? AND a.revoked_at IS NULL AND a.expires_at > ? AND c.revoked_at IS NULL
        ORDER BY a.number DESC LIMIT ?
        """
    /// Parameters: id, participant, now.
    static let approvalSQL = """
        SELECT a.client_id FROM access_authorization a JOIN user_account u ON u.id = a.account_id
        WHERE a.id = ? AND u.participant = ? AND a.revoked_at IS NULL AND a.expires_at > ?
        """
}
