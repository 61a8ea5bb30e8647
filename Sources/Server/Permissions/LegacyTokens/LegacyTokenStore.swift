import AccessPolicy
import Audit
import Foundation
import Identity
import Storage
import Wire

/// Codes and tokens of the document's token calls.
///
/// A code is valid once, for a minute, and for the csi that asked for it. Its second use revokes the token that was
/// issued for it.
struct LegacyTokenStore: AuditedStore {
    let audit: AuditLog
    private let authorizations: AuthorizationStore

    /// Seconds until a code expires.
    static let codeLifetime: TimeInterval = 60
    /// Seconds until a token expires.
    static let tokenLifetime: TimeInterval = 300

    init(access: AccessStores) {
        audit = access.audit
        authorizations = access.authorizations
    }

    /// A new code, and the scopes of a token that is requested now.
    struct IssuedCode: Sendable, Hashable {
        let code: String
        let scopes: AccessScopes
    }

    /// Returns the csi with a guid; nil if there is none or if it has ended.
    func signer(_ guid: CsiGuid) async throws -> LegacySigner? {
        try await database.lookUp { try LegacySigner.find(guid, in: $0) }
    }

    /// Issues a code for a request whose signature was verified with the key of a csi.
    ///
    /// - Throws: ``Wire/PermissionError`` `invalid_client` for a request that was used before, `invalid_scope`;
    ///   ``AccessPolicy/AccessError`` with the policy's reason.
    func code(for request: LegacyAuthRequest, signedBy signer: LegacySigner) async throws -> IssuedCode {
        let asked = try Self.scopes(request.scope)
        let code = String.newSecret(random)
        let now = clock()
        let result: Result<IssuedCode, PermissionError> = try await database.write { transaction in
            guard try isCurrent(signer, in: transaction) else { return .failure(Self.invalidClient) }
            // 1. A refused request counts as used too.
            let isNew = try authorizations.use(
                assertion: request.replayKey, of: signer.guid.text,
                expiresAt: now.addingTimeInterval(Double(LegacyAuthRequest.replayLifetime)), in: transaction)
            guard isNew else { return .failure(Self.invalidClient) }
            // 2. The permissions in force decide now about the code, and again about the token.
            let given = try authorizations.scopes(
                ofInstance: signer.guid.text, asking: asked, lifetime: Self.tokenLifetime, in: transaction)
            switch given {
            case .failure(let refusal): return .failure(PermissionError(.invalidScope, refusal.message))
            case .success(let scopes):
                try insert(code, for: signer, asking: asked, in: transaction)
                return .success(IssuedCode(code: code, scopes: scopes))
            }
        }
        return try result.get()
    }

    /// Issues a token for a code whose request was verified with the key of a csi.
    ///
    /// - Throws: ``Wire/PermissionError`` `invalid_client`, `invalid_grant`, `invalid_scope`;
    ///   ``AccessPolicy/AccessError`` with the policy's reason.
    func token(for request: LegacyAccessRequest, signedBy signer: LegacySigner) async throws -> IssuedTokens {
        let digest = SQLValue(SecretDigest(of: request.code).hex)
        let new = authorizations.newInstanceToken()
        let now = clock()
        let result: Result<IssuedTokens, PermissionError> = try await database.write { transaction in
            guard try isCurrent(signer, in: transaction) else { return .failure(Self.invalidClient) }
            guard let row = try transaction.first(Self.codeSQL, [digest]), try row.text("csi") == signer.guid.text
            else { return .failure(Self.invalidGrant) }
            guard row["used_at"] == .null else {
                if let issued = row.textIfPresent("authorization_id") {
                    try authorizations.revoke(issued, in: transaction)
                }
                return .failure(Self.invalidGrant)
            }
            guard try row.date("expires_at") > now else { return .failure(Self.invalidGrant) }
            try transaction.execute(
                "UPDATE csi_token_code SET used_at = ? WHERE code_digest = ?", [SQLValue(now), digest])
            let asked = try Self.scopes(try row.text("scopes"))
            let issued = try authorizations.issue(
                new, toInstance: signer.guid.text, asking: asked, lifetime: Self.tokenLifetime, in: transaction)
            switch issued {
            case .failure(let refusal): return .failure(PermissionError(.invalidScope, refusal.message))
            case .success(let tokens):
                try transaction.execute(
                    "UPDATE csi_token_code SET authorization_id = ? WHERE code_digest = ?",
                    [SQLValue(tokens.authorization.id), digest])
                return .success(tokens)
            }
        }
        return try result.get()
    }

    /// Whether the csi has not ended, and has no other key, since its signature was verified.
    private func isCurrent(_ signer: LegacySigner, in transaction: any SQLTransaction) throws -> Bool {
        try LegacySigner.find(signer.guid, in: transaction) == signer
    }

    /// Stores a code, and removes some codes whose tokens have expired.
    private func insert(
        _ code: String, for signer: LegacySigner, asking asked: AccessScopes?, in transaction: any SQLTransaction
    ) throws {
        let now = clock()
        try transaction.execute(Self.removalSQL, [SQLValue(now.addingTimeInterval(-Self.tokenLifetime))])
        try transaction.execute(
            "INSERT INTO csi_token_code (code_digest, csi, scopes, expires_at) VALUES (?, ?, ?, ?)",
            [
                SQLValue(SecretDigest(of: code).hex), SQLValue(signer.guid.text), SQLValue(asked?.text ?? ""),
                SQLValue(now.addingTimeInterval(Self.codeLifetime)),
            ])
    }

    /// Returns requested scopes; nil for an empty list, which requests everything.
    private static func scopes(_ text: String) throws(PermissionError) -> AccessScopes? {
        do {
            let scopes = try AccessScopes(text)
            return scopes.scopes.isEmpty ? nil : scopes
        } catch { throw PermissionError(.invalidScope, error.message) }
    }

    /// Parameter: digest of the code.
    static let codeSQL = "SELECT * FROM csi_token_code WHERE code_digest = ?"
    /// Parameter: the time before which a code must have expired. The limit keeps the wait of other writers short.
    static let removalSQL = """
        DELETE FROM csi_token_code WHERE code_digest IN
            (SELECT code_digest FROM csi_token_code WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)
        """

    /// One refusal for an unknown csi, one that has ended, a wrong signature and a second use.
    static let invalidClient = PermissionError(.invalidClient, "The assertion is not valid.")
    private static let invalidGrant = PermissionError(
        .invalidGrant, "The code is unknown, has expired, or was used before.")
}
