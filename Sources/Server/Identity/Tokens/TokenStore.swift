import AccessPolicy
import Audit
import Foundation
import Storage

/// A token of the study team, or one with scopes, for listing; the token itself is never returned again.
package struct StaffToken: Sendable, Hashable {
    package let id: String
    package let name: String?
    package let createdAt: Date
    package let expiresAt: Date?
    package let revokedAt: Date?
    /// Scopes of the token; nil for a token of the study team.
    package let scopes: String?

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        name = row.textIfPresent("name")
        createdAt = try row.date("created_at")
        expiresAt = row.dateIfPresent("expires_at")
        revokedAt = row.dateIfPresent("revoked_at")
        scopes = row.textIfPresent("scopes")
    }
}

/// Tokens of the study team and tokens with scopes, and the grants of all bearers.
package struct TokenStore: AuditedStore {
    package let audit: AuditLog
    /// For the lookups of each request.
    let reader: GroupedReader
    let recent = RecentTokens<Bearer>()
    /// Bearers of tokens that carry permissions. Each use compares the number of changes with the store.
    let carrying = RecentTokens<Bearer>(lifetime: 300, limit: 256)

    /// Creates the store for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
        reader = GroupedReader(database: audit.database)
    }

    /// Creates a token for a member of the study team; the only time it is returned. Without a lifetime it does not
    /// expire.
    package func createStaffToken(
        name: String? = nil, lifetime: TimeInterval? = nil, by actor: Actor = Actor(id: "site", role: .site)
    ) async throws -> String {
        let now = clock()
        let token = String.newSecret(random)
        let id = RandomID.make(random)
        try await database.write { transaction in
            try requireTokens(actor, id, in: transaction)
            try transaction.execute(
                "INSERT INTO staff_token (token_digest, id, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(SecretDigest(of: token).hex), SQLValue(id), SQLValue(name), SQLValue(now),
                    SQLValue(lifetime.map { now.addingTimeInterval($0) }),
                ])
        }
        return token
    }

    /// Returns all tokens, including those with scopes, in the order of their creation.
    package func staffTokens() async throws -> [StaffToken] {
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT id, name, created_at, expires_at, revoked_at, scopes FROM staff_token ORDER BY created_at, id
                """
            ).map { try StaffToken($0) }
        }
    }

    /// Revokes a token; false if there is none with the id.
    package func revokeStaffToken(id: String, by actor: Actor) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            try requireTokens(actor, id, in: transaction)
            return try transaction.execute(
                "UPDATE staff_token SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?",
                [SQLValue(now), SQLValue(id)]) > 0
        }
    }

    func requireTokens(_ actor: Actor, _ id: String, in transaction: any SQLTransaction) throws {
        try audit.require(
            actor, .manageTokens, target: Target(resourceType: "StaffToken", resourceID: id),
            message: "This account may not manage tokens.", in: transaction)
    }

    /// Returns the member of the study team with this bearer token; nil if it is unknown, expired or revoked.
    package func authenticate(bearer token: String) async throws -> Actor? {
        // Looked up by its digest, so that the duration reveals nothing about the token.
        let digest = SQLValue(SecretDigest(of: token).hex)
        let now = SQLValue(clock())
        return try await database.lookUp { transaction in
            try transaction.first(
                """
                SELECT id FROM staff_token
                WHERE token_digest = ? AND scopes IS NULL AND revoked_at IS NULL
                    AND (expires_at IS NULL OR expires_at > ?)
                """, [digest, now]
            ).map { Actor(id: try $0.text("id"), role: .staff) }
        }
    }
}
