import Foundation
import Storage

extension AccessControl {
    /// Makes a bearer token with a grant of its own (RFC 6750), the only time it is seen: what is kept of it is a digest.
    ///
    /// - Parameters:
    ///   - scopes: what it may do, in the words of SMART on FHIR and HEART.
    ///   - patients: whose records it reaches.
    ///   - lifetime: seconds, after which it is worth nothing.
    /// - Throws: ``TrustError`` `scope-unknown` where a scope is not known, or none reaches records;
    ///   `participant-deleted`; the policy's reason. ``AccessGrantError`` for a scope `patient/` without a patient.
    public func createToken(
        scopes: AccessScopes, patients: PatientAccess, name: String? = nil, lifetime: TimeInterval, by actor: Actor
    ) async throws -> String {
        guard scopes.unrecognized.isEmpty, !scopes.resources.isEmpty else {
            throw TrustError(
                code: "scope-unknown", message: "A scope is not known, or none reaches records; say patient/*.rs.")
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
                    throw TrustError(
                        code: "participant-deleted", message: "A participant was deleted; make the token for others.")
                }
                try transaction.execute(
                    "INSERT INTO token_patient (token_id, participant) VALUES (?, ?)",
                    [SQLValue(id), SQLValue(patient)])
            }
        }
        return token
    }

    /// What the bearer of a token may do with records, one of the study team, one with scopes or one that a client was
    /// given; nil if it is unknown, has ended or was revoked.
    public func grant(bearer token: String) async throws -> AccessGrant? {
        // Looked up by its digest: the time that takes tells nothing about the token.
        let digest = SecretDigest(of: token).hex
        return try await reader.read { try grant(digest: digest, in: $0) }
    }

    /// Who has a token, as it was some seconds ago at the most; nil where it was nobody.
    ///
    /// It spares a look into the database where another one follows: nothing may come of it before ``grant(of:in:)`` was asked
    /// in the transaction that what is done belongs to.
    public func recentBearer(of token: String) async throws -> Bearer? {
        let (digest, now) = (SecretDigest(of: token).hex, clock())
        if let known = recent.holder(digest: digest, now: now) { return known }
        guard let grant = try await reader.read({ try grant(digest: digest, in: $0) }) else { return nil }
        let bearer = Bearer(grant: grant, digest: digest)
        recent.keep(bearer, digest: digest, expiresAt: grant.end, now: now)
        return bearer
    }

    /// What a bearer may do now; nil if the token has ended or was revoked.
    public func grant(of bearer: Bearer, in transaction: any SQLTransaction) throws -> AccessGrant? {
        try grant(digest: bearer.digest, like: bearer.grant, in: transaction)
    }

    /// - Parameter known: a grant whose scopes need not be read again where they are the same.
    private func grant(
        digest text: String, like known: AccessGrant? = nil, in transaction: any SQLTransaction
    ) throws -> AccessGrant? {
        let digest = SQLValue(text)
        guard let row = try transaction.first(Self.grantSQL, [digest, SQLValue(clock())]) else {
            return try grant(accessToken: digest, in: transaction)
        }
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
        let read = try known.flatMap { $0.scopes.text == scopes ? $0.scopes : nil } ?? AccessScopes(scopes)
        return try AccessGrant(client: id, role: .service, patients: patients, scopes: read, end: end)
    }

    /// Parameters: digest, now.
    static let grantSQL = """
        SELECT id, expires_at, scopes, reaches_all FROM staff_token
        WHERE token_digest = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
        """
    /// Parameter: the token's id.
    static let patientsSQL = "SELECT participant FROM token_patient WHERE token_id = ?"
}

/// Who has a token that the records' store knows, with what they might do when it was looked up.
public struct Bearer: Sendable, Hashable {
    public let grant: AccessGrant
    let digest: String
}
