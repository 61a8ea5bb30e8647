import Foundation
import Storage

extension AccessControl {
    /// What the bearer of an access token may do with records (SMART on FHIR); nil where it is worth nothing any more.
    func grant(accessToken digest: SQLValue, in transaction: any SQLTransaction) throws -> AccessGrant? {
        let now = SQLValue(clock())
        guard let row = try transaction.first(Self.accessGrantSQL, [digest, now, now]) else { return nil }
        let account = try row.textIfPresent("account_id").map { try self.account(id: $0, in: transaction) }
        // A person's account that is gone or disabled takes with it whatever it approved.
        if case .some(nil) = account { return nil }
        return try Self.grant(
            client: row.text("client_id"), account: account ?? nil, patient: row.textIfPresent("participant"),
            scopes: AccessScopes(row.text("scopes")), end: row.date("expires_at"))
    }

    /// Whose records a client reaches for a person: a participant's are their own, whatever was asked for.
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
        // Nobody else reaches all by an omission.
        guard account.role != .participant else { throw AccessGrantError.patientMissing }
        return try AccessGrant(
            client: client, person: account.id, role: account.role, patients: .all, patientInContext: patient,
            scopes: scopes, ownResource: account.ownResource, end: end)
    }

    /// Parameters: digest, now, now.
    static let accessGrantSQL = """
        SELECT t.scopes, t.expires_at, a.client_id, a.account_id, a.participant FROM bearer_token t
        JOIN access_authorization a ON a.id = t.authorization_id
        JOIN registered_client c ON c.id = a.client_id
        WHERE t.token_digest = ? AND t.expires_at > ? AND a.expires_at > ? AND a.revoked_at IS NULL
            AND c.revoked_at IS NULL
        """
}
