import AccessPolicy
import Audit
import Foundation
import Storage

extension TokenStore {
    /// Creates a bearer token with a grant of its own (RFC 6750). Only its digest is stored; this is the only time the
    /// token is returned.
    ///
    /// - Parameters:
    ///   - scopes: scopes of SMART on FHIR and HEART.
    ///   - patients: patients whose records the token gives access to.
    ///   - lifetime: seconds until it expires.
    /// - Throws: ``AccessError`` `scope-unknown` if a scope is unknown, or none gives access to records;
    ///   `participant-deleted`; the policy's reason. ``AccessGrantError`` for a scope `patient/` without a patient.
    package func createToken(
        scopes: AccessScopes, patients: PatientAccess, name: String? = nil, lifetime: TimeInterval, by actor: Actor
    ) async throws -> String {
        guard scopes.unrecognized.isEmpty, !scopes.resources.isEmpty else {
            throw AccessError(
                code: "scope-unknown", message: "A scope is unknown, or none covers records; try patient/*.rs.")
        }
        let now = clock()
        let token = String.newSecret(random)
        let id = RandomID.make(random)
        let end = now.addingTimeInterval(lifetime)
        _ = try AccessGrant(client: id, role: .service, patients: patients, scopes: scopes, end: end)
        try await database.write { transaction in
            try requireTokens(actor, id, in: transaction)
            try transaction.execute(
                """
                INSERT INTO staff_token (token_digest, id, name, created_at, expires_at, scopes, reaches_all)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(SecretDigest(of: token).hex), SQLValue(id), SQLValue(name), SQLValue(now), SQLValue(end),
                    SQLValue(scopes.text), SQLValue(patients == .all),
                ])
            guard case .only(let ids) = patients else { return }
            for patient in ids.sorted() {
                guard try DeletionRegister().entry(of: patient, in: transaction) == nil else {
                    throw AccessError(
                        code: "participant-deleted", message: "A participant was deleted; make the token for others.")
                }
                try transaction.execute(
                    "INSERT INTO token_patient (token_id, participant) VALUES (?, ?)",
                    [SQLValue(id), SQLValue(patient)])
            }
        }
        return token
    }

    /// Returns the grant of a token: of the study team, with scopes, or issued to a client; nil if the token is
    /// unknown, expired or revoked.
    package func grant(bearer token: String) async throws -> AccessGrant? {
        // Looked up by its digest, so that the duration reveals nothing about the token.
        let digest = SecretDigest(of: token).hex
        return try await bearer(digest: digest)?.grant
    }

    /// Returns the bearer of a token, possibly from a cache that is a few seconds old; nil if there is none.
    ///
    /// It saves a database read if another one follows: before any effect, ``grant(of:in:)`` must be checked in the
    /// transaction of the operation.
    package func recentBearer(of token: String) async throws -> Bearer? {
        let (digest, now) = (SecretDigest(of: token).hex, clock())
        if let known = recent.holder(digest: digest, now: now) { return known }
        guard let found = try await bearer(digest: digest) else { return nil }
        // The entry ends where a part of the grant begins or ends.
        recent.keep(found, digest: digest, expiresAt: found.grant.nextChange(after: now), now: now)
        return found
    }

    /// Looks a bearer up. The permissions of a token are read again only after one of them was ended.
    private func bearer(digest: String) async throws -> Bearer? {
        let now = clock()
        let known = carrying.holder(digest: digest, now: now)
        let found = try await reader.read { try bearer(digest: digest, like: known, in: $0) }
        if let found, found.permissionChanges != nil {
            carrying.keep(found, digest: digest, expiresAt: nil, now: now)
        }
        return found
    }

    /// Returns the current grant of a bearer; nil if the token has expired or was revoked.
    package func grant(of bearer: Bearer, in transaction: any SQLTransaction) throws -> AccessGrant? {
        try self.bearer(digest: bearer.digest, like: bearer, in: transaction)?.grant
    }

    /// - Parameter known: a bearer whose grant, or its parsed scopes, are reused if nothing has changed.
    private func bearer(
        digest: String, like known: Bearer? = nil, in transaction: any SQLTransaction
    ) throws -> Bearer? {
        guard let row = try transaction.first(Self.grantSQL, [SQLValue(digest), SQLValue(clock())]) else {
            return try AuthorizationStore.bearer(accessToken: digest, like: known, now: clock(), in: transaction)
        }
        return Bearer(grant: try grant(row, like: known?.grant, in: transaction), digest: digest)
    }

    private func grant(
        _ row: SQLRow, like known: AccessGrant?, in transaction: any SQLTransaction
    ) throws -> AccessGrant {
        let id = try row.text("id")
        let end = row.dateIfPresent("expires_at")
        guard let scopes = row.textIfPresent("scopes") else {
            return AccessGrant(Actor(id: id, role: .staff), end: end)
        }
        let patients: PatientAccess =
            try row.integer("reaches_all") != 0
            ? .all
            : .only(
                Set(try transaction.query(Self.patientsSQL, [SQLValue(id)]).map { try $0.text("participant") }))
        let read = try known?.scopes(parsing: scopes) ?? AccessScopes(scopes)
        return try AccessGrant(client: id, role: .service, patients: patients, scopes: read, end: end)
    }

    /// Parameters: digest, now.
    static let grantSQL = """
        SELECT id, expires_at, scopes, reaches_all FROM staff_token
        WHERE token_digest = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
        """
    /// Parameter: id of the token.
    static let patientsSQL = "SELECT participant FROM token_patient WHERE token_id = ?"
}

/// Bearer of a token of the records' store, with the grant at the time of the lookup.
package struct Bearer: Sendable, Hashable {
    package let grant: AccessGrant
    let digest: String
    /// Number of times that a carried permission had been ended; nil for a token that carries none.
    let permissionChanges: Int64?

    init(grant: AccessGrant, digest: String, permissionChanges: Int64? = nil) {
        self.grant = grant
        self.digest = digest
        self.permissionChanges = permissionChanges
    }
}
