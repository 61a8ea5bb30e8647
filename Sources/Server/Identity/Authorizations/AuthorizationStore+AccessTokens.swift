import AccessPolicy
import Foundation
import Storage

extension AuthorizationStore {
    /// Returns the bearer of an access token (SMART on FHIR); nil if the token is not valid any more.
    ///
    /// - Parameter known: the bearer at an earlier time. If the token carries permissions and none of them was ended
    ///   since, it is returned, so that many permissions are not read for each request.
    static func bearer(
        accessToken digest: String, like known: Bearer?, now: Date, in transaction: any SQLTransaction
    ) throws -> Bearer? {
        let time = SQLValue(now)
        guard let row = try transaction.first(accessGrantSQL, [SQLValue(digest), time, time]) else { return nil }
        if let changes = row.integerIfPresent("permission_changes") {
            if let known, known.permissionChanges == changes { return known }
            guard let grant = try grant(carriedBy: row, now: now, in: transaction) else { return nil }
            return Bearer(grant: grant, digest: digest, permissionChanges: changes)
        }
        return try grant(row, in: transaction).map { Bearer(grant: $0, digest: digest) }
    }

    /// Returns the grant of an authorization that carries no permissions.
    private static func grant(_ row: SQLRow, in transaction: any SQLTransaction) throws -> AccessGrant? {
        let account = try row.textIfPresent("account_id").map { try AccountStore.account(id: $0, in: transaction) }
        // The approvals of a person end when their account is deleted or disabled.
        if case .some(nil) = account { return nil }
        return try grant(
            client: row.text("client_id"), account: account ?? nil, patient: row.textIfPresent("participant"),
            scopes: AccessScopes(row.text("scopes")), end: row.date("expires_at"))
    }

    /// Returns the grant of a client. For a participant it is limited to their own records, whatever was requested.
    static func grant(
        client: String, account: UserAccount?, patient: String?, scopes: AccessScopes, end: Date
    ) throws -> AccessGrant {
        guard let account else {
            return try AccessGrant(client: client, role: .service, patients: .all, scopes: scopes, end: end)
        }
        if let own = account.patient {
            guard patient ?? own == own else { throw AccessGrantError.patientMissing }
            return try AccessGrant(
                client: client, person: account.id, role: account.role, patients: .only([own]),
                patientInContext: patient, scopes: scopes, ownResource: account.ownResource, end: end)
        }
        // A participant without a Patient must not get access to all records.
        guard account.role != .participant else { throw AccessGrantError.patientMissing }
        return try AccessGrant(
            client: client, person: account.id, role: account.role, patients: .all, patientInContext: patient,
            scopes: scopes, ownResource: account.ownResource, end: end)
    }

    /// Parameters: digest, now, now.
    static let accessGrantSQL = """
        SELECT t.scopes, t.expires_at, a.id, a.client_id, a.account_id, a.participant, a.permission_changes,
            a.scopes AS asked
        FROM bearer_token t
        JOIN access_authorization a ON a.id = t.authorization_id
        JOIN registered_client c ON c.id = a.client_id
        WHERE t.token_digest = ? AND t.expires_at > ? AND a.expires_at > ? AND a.revoked_at IS NULL
            AND c.revoked_at IS NULL
        """
}
