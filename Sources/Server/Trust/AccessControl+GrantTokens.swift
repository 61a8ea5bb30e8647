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
        let digest = SQLValue(SecretDigest(of: token).hex)
        let now = SQLValue(clock())
        return try await reader.read { transaction in
            guard let row = try transaction.first(Self.grantSQL, [digest, now]) else {
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
                    Set(
                        try transaction.query(Self.patientsSQL, [SQLValue(id)])
                            .map { try $0.text("participant") }))
            return try AccessGrant(
                client: id, role: .service, patients: patients, scopes: AccessScopes(scopes), end: end)
        }
    }

    /// Parameters: digest, now.
    static let grantSQL = """
        SELECT id, expires_at, scopes, reaches_all FROM staff_token
        WHERE token_digest = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
        """
    /// Parameter: the token's id.
    static let patientsSQL = "SELECT participant FROM token_patient WHERE token_id = ?"
}
