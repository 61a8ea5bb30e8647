import AccessPolicy
import Audit
import Foundation
import Storage
import Wire

/// Registered clients of SMART on FHIR: apps and servers.
package struct ClientStore: AuditedStore {
    package let audit: AuditLog

    /// Creates the store for the database of the audit.
    package init(audit: AuditLog) {
        self.audit = audit
    }

    /// Registers a client.
    ///
    /// - Parameter allowingLoopback: whether its keys may be fetched from the same machine.
    /// - Returns: the client, and its secret if it has one; the only time that is returned.
    /// - Throws: ``AccessError`` for invalid properties, or with the policy's reason; ``Wire/WireError`` for invalid
    ///   keys.
    package func createClient(
        _ new: NewClient, allowingLoopback: Bool = false, by actor: Actor
    ) async throws -> (client: RegisteredClient, secret: String?) {
        try new.check(allowingLoopback: allowingLoopback)
        var keySet: String?
        if case .keySet(let bytes) = new.proof {
            _ = try SignatureKeySet(reading: bytes)
            keySet = String(decoding: bytes, as: UTF8.self)
        }
        let id = RandomID.make(random)
        let secret = new.proof == .secret ? String.newSecret(random) : nil
        let parameters: [SQLValue] = [
            SQLValue(id), SQLValue(new.name), SQLValue(secret.map { SecretDigest(of: $0).hex }), SQLValue(keySet),
            SQLValue(new.proof.url), SQLValue(new.scopes.text), SQLValue(clock()),
        ]
        let made = try await database.write { transaction in
            try requireClients(actor, id, in: transaction)
            try transaction.execute(
                """
                INSERT INTO registered_client (id, name, secret_digest, key_set, key_set_url, scopes, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, parameters)
            for (index, uri) in new.redirectURIs.enumerated() {
                try transaction.execute(
                    "INSERT INTO client_redirect (client_id, place, uri, origin) VALUES (?, ?, ?, ?)",
                    [SQLValue(id), SQLValue(index), SQLValue(uri), SQLValue(RegisteredURL(uri)?.origin)])
            }
            return try Self.client(id, in: transaction)
        }
        guard let made else { throw StorageError(code: "storage-failed", message: "A client vanished.") }
        return (made, secret)
    }

    /// Returns all clients, including revoked ones, in the order of their creation.
    package func all() async throws -> [RegisteredClient] {
        try await database.read { transaction in
            try transaction.query("SELECT * FROM registered_client ORDER BY created_at, id").map { row in
                try RegisteredClient(row, redirectURIs: Self.redirectURIs(of: row.text("id"), in: transaction))
            }
        }
    }

    /// Revokes a client and all its authorizations; false if there is none with the id.
    package func revokeClient(id: String, by actor: Actor) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            try requireClients(actor, id, in: transaction)
            return try transaction.execute(
                "UPDATE registered_client SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?",
                [SQLValue(now), SQLValue(id)]) > 0
        }
    }

    /// Returns the client with this id, unless it is revoked.
    package func client(id: String) async throws -> RegisteredClient? {
        try await database.lookUp { try Self.client(id, in: $0) }
    }

    /// Returns the client with this id, unless it is revoked.
    static func client(_ id: String, in transaction: any SQLTransaction) throws -> RegisteredClient? {
        guard let row = try transaction.first(Self.clientSQL, [SQLValue(id)]) else { return nil }
        return try RegisteredClient(row, redirectURIs: redirectURIs(of: id, in: transaction))
    }

    /// Returns the name of a client, also of one that is revoked; nil if there is none with the id.
    package func name(of id: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT name FROM registered_client WHERE id = ?", [SQLValue(id)])?.text("name")
    }

    /// Returns the client with this secret, unless it is revoked.
    package func authenticateRegisteredClient(id: String, secret: String) async throws -> RegisteredClient? {
        try await database.read { transaction in
            let stored = try transaction.first(Self.clientSQL, [SQLValue(id)])?.textIfPresent("secret_digest")
            guard let digest = stored.flatMap(SecretDigest.init(hex:)), digest.matches(secret) else { return nil }
            return try Self.client(id, in: transaction)
        }
    }

    /// Whether an origin is that of a client's redirect URI. Scripts of this origin may request tokens.
    package func isOriginOfClient(_ origin: String) async throws -> Bool {
        guard origin.utf8.count <= RegisteredURL.longest else { return false }
        return try await database.lookUp { try $0.first(Self.originSQL, [SQLValue(origin)]) != nil }
    }

    private static func redirectURIs(of id: String, in transaction: any SQLTransaction) throws -> [String] {
        try transaction.query(Self.redirectSQL, [SQLValue(id)]).map { try $0.text("uri") }
    }

    /// Parameter: id of the client.
    static let clientSQL = "SELECT * FROM registered_client WHERE id = ? AND revoked_at IS NULL"
    static let redirectSQL = "SELECT uri FROM client_redirect WHERE client_id = ? ORDER BY place"
    /// Parameter: origin.
    static let originSQL = """
        SELECT 1 AS one FROM client_redirect r JOIN registered_client c ON c.id = r.client_id
        WHERE r.origin = ? AND c.revoked_at IS NULL LIMIT 1
        """

    private func requireClients(_ actor: Actor, _ id: String, in transaction: any SQLTransaction) throws {
        try audit.require(
            actor, .manageClients, target: Target(resourceType: "Client", resourceID: id),
            message: "This account may not manage clients.", in: transaction)
    }
}

extension RegisteredClient.Proof {
    fileprivate var url: String? { if case .keySetURL(let url) = self { url } else { nil } }
}
