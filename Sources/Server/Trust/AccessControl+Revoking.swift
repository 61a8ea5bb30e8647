import Foundation
import Storage

extension AccessControl {
    /// Whether what a grant stands on was ended before its time: the token, the client or the person's account, or what the
    /// person approved. What has come to its own end was not revoked.
    public func isRevoked(_ grant: AccessGrant, in transaction: any SQLTransaction) throws -> Bool {
        // 1. A token of its own, by hand.
        if let row = try transaction.first(Self.revokedSQL, [SQLValue(grant.actor.id)]) {
            return row.dateIfPresent("revoked_at") != nil
        }
        // 2. A client, perhaps for a person.
        guard let client = grant.client, try transaction.first(Self.clientSQL, [SQLValue(client)]) != nil else {
            return true
        }
        if let person = grant.person, try account(id: person, in: transaction) == nil { return true }
        // 3. What it was given: revoked, and nothing else in its place.
        let now = clock()
        let sql = grant.person == nil ? Self.ownAuthorizationsSQL : Self.authorizationsSQL
        let parameters = [SQLValue(client)] + (grant.person.map { [SQLValue($0)] } ?? [])
        var isAnyRevoked = false
        for row in try transaction.query(sql, parameters) {
            let isLive = try row.date("expires_at") > now
            // Without a person all there is is one token: who takes that back takes back the rest.
            let isGone = isLive && grant.person == nil && row.integerIfPresent("tokens") == 0
            if row.dateIfPresent("revoked_at") != nil || isGone {
                isAnyRevoked = true
            } else if isLive {
                return false
            }
        }
        return isAnyRevoked
    }

    /// Parameter: the token's id.
    static let revokedSQL = "SELECT revoked_at FROM staff_token WHERE id = ?"
    /// The newest of what a client has for a person. Parameters: client, account.
    static let authorizationsSQL = """
        SELECT revoked_at, expires_at FROM access_authorization WHERE client_id = ? AND account_id = ?
        ORDER BY number DESC LIMIT 100
        """
    /// The newest of what a client has on its own. Parameter: client.
    static let ownAuthorizationsSQL = """
        SELECT a.revoked_at, a.expires_at,
            (SELECT count(*) FROM bearer_token t WHERE t.authorization_id = a.id) AS tokens
        FROM access_authorization a WHERE a.client_id = ? AND a.account_id IS NULL ORDER BY a.number DESC LIMIT 100
        """
}
