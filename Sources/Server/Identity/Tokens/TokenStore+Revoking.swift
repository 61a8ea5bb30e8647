import AccessPolicy
import Foundation
import Storage

extension TokenStore {
    /// Whether the basis of a grant was revoked: the token, the client, the person's account, the person's approval, or a
    /// permission. Expiry of the token is not revocation; the end of a permission's period is.
    package func isRevoked(_ grant: AccessGrant, in transaction: any SQLTransaction) throws -> Bool {
        // 1. A token with a grant of its own may be revoked directly.
        if let row = try transaction.first(Self.revokedSQL, [SQLValue(grant.actor.id)]) {
            return row.dateIfPresent("revoked_at") != nil
        }
        // 2. The client must exist, and the person's account, if any.
        guard let client = grant.client, try transaction.first(ClientStore.clientSQL, [SQLValue(client)]) != nil else {
            return true
        }
        guard try AuthorizationStore.areInForce(grant.permissionIDs, now: clock(), in: transaction) else { return true }
        if let person = grant.person, try AccountStore.account(id: person, in: transaction) == nil { return true }
        // 3. An authorization was revoked, and no other one is valid.
        let now = clock()
        let sql = grant.person == nil ? Self.ownAuthorizationsSQL : Self.authorizationsSQL
        let parameters = [SQLValue(client)] + (grant.person.map { [SQLValue($0)] } ?? [])
        var isAnyRevoked = false
        for row in try transaction.query(sql, parameters) {
            let isLive = try row.date("expires_at") > now
            // Without a person, an authorization has only one token: revoking it revokes the authorization.
            let isGone = isLive && grant.person == nil && row.integerIfPresent("tokens") == 0
            if row.dateIfPresent("revoked_at") != nil || isGone {
                isAnyRevoked = true
            } else if isLive {
                return false
            }
        }
        return isAnyRevoked
    }

    /// Parameter: id of the token.
    static let revokedSQL = "SELECT revoked_at FROM staff_token WHERE id = ?"
    /// Newest authorizations of a client for a person. Parameters: client, account.
    static let authorizationsSQL = """
        SELECT revoked_at, expires_at FROM access_authorization WHERE client_id = ? AND account_id = ?
        ORDER BY number DESC LIMIT 100
        """
    /// Newest authorizations of a client without a person. Parameter: client.
    static let ownAuthorizationsSQL = """
        SELECT a.revoked_at, a.expires_at,
            (SELECT count(*) FROM bearer_token t WHERE t.authorization_id = a.id) AS tokens
        FROM access_authorization a WHERE a.client_id = ? AND a.account_id IS NULL ORDER BY a.number DESC LIMIT 100
        """
}
