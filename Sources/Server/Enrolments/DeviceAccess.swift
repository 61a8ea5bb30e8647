import AccessPolicy
import Audit
import Foundation
import Identity
import Storage

/// Access control for devices in the queue's store: enrolments by app receipt or invitation, clients, access tokens.
///
/// It contains no participants: only the records' store knows whose device it is (``EnrolmentStore``). The row of a
/// registration or a submission is its audit; unauthenticated requests are counted by the minute (``Audit/RefusalCounter``).
/// All methods throw ``Storage/StorageError`` when the database fails.
package struct DeviceAccess: Sendable {
    let database: any SQLDatabase
    let policy: Policy
    let clock: @Sendable () -> Date
    let random: @Sendable (Int) -> [UInt8]
    private let recent = RecentTokens<Actor>()

    /// Maximum number of tokens of a client; the oldest end first.
    static let tokensPerClient = 16

    /// - Parameters:
    ///   - clock: returns the current time.
    ///   - random: returns a number of random bytes that are suitable for secrets.
    package init(
        database: any SQLDatabase, policy: Policy = Policy(), clock: @escaping @Sendable () -> Date,
        random: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
    ) {
        self.database = database
        self.policy = policy
        self.clock = clock
        self.random = random
    }

    /// Decides without an audit row: an allowed operation writes its own row.
    package func decide(_ actor: Actor?, action: Action, target: Target) -> Decision {
        policy.decide(actor, action: action, target: target)
    }

    /// Registers a device by its verified app receipt and returns its new credentials; the only time the secret is
    /// returned.
    ///
    /// A second registration with the same receipt replaces the earlier client: that client and its tokens are revoked,
    /// and its submissions stay valid.
    /// - Parameter receiptDigest: SHA-256 of the receipt, hexadecimal.
    /// - Throws: ``AccessError``: `enrolment-revoked` for a device that the study team has revoked.
    package func registerClient(receiptDigest: String) async throws -> (clientID: String, clientSecret: String) {
        try await database.write { transaction in
            guard let credentials = try registerClient(ofDevice: receiptDigest, in: transaction) else {
                throw AccessError(code: "enrolment-revoked", message: "The study team has revoked this device.")
            }
            return credentials
        }
    }

    /// Registers a client of a device, and creates the device's enrolment if there is none. Earlier clients of the
    /// device end.
    ///
    /// - Parameter key: the receipt's digest, or the key of an invitation.
    /// - Returns: the credentials; nil if the study team has revoked the device.
    func registerClient(
        ofDevice key: String, in transaction: any SQLTransaction
    ) throws -> (clientID: String, clientSecret: String)? {
        let now = clock()
        let clientID = RandomID.make(random)
        let secret = String.newSecret(random)
        // 1. Find or create the enrolment.
        try transaction.execute(
            """
            INSERT INTO enrolment (id, receipt_digest, created_at) VALUES (?, ?, ?)
            ON CONFLICT (receipt_digest) DO NOTHING
            """,
            [SQLValue(RandomID.make(random)), SQLValue(key), SQLValue(now)])
        guard
            let enrolment = try transaction.first(
                "SELECT id, revoked_at FROM enrolment WHERE receipt_digest = ?", [SQLValue(key)])
        else {
            throw StorageError(code: "storage-failed", message: "An enrolment disappeared while it was created.")
        }
        guard enrolment["revoked_at"] == .null else { return nil }
        // 2. End its earlier clients.
        try Self.endClients(of: try enrolment.text("id"), at: now, in: transaction)
        // 3. Insert the new client.
        try transaction.execute(
            "INSERT INTO client (id, enrolment_id, secret_digest, created_at) VALUES (?, ?, ?, ?)",
            [SQLValue(clientID), enrolment["id"], SQLValue(SecretDigest(of: secret).hex), SQLValue(now)])
        return (clientID, secret)
    }

    /// Returns the device with these credentials; nil if they are wrong or revoked.
    package func authenticateClient(id: String, secret: String) async throws -> Actor? {
        // SQLite cannot bind a text with a zero byte, and no client id contains one.
        guard !id.utf8.contains(0) else { return nil }
        let row = try await database.lookUp { transaction in
            try transaction.first(
                "SELECT id, enrolment_id, secret_digest, revoked_at FROM client WHERE id = ?", [SQLValue(id)])
        }
        // Compare something even without a client, so that the duration reveals nothing.
        let stored =
            row?.textIfPresent("secret_digest").flatMap { SecretDigest(hex: $0) } ?? SecretDigest(of: "")
        guard stored.matches(secret), let row, row["revoked_at"] == .null else { return nil }
        return try Self.actor(row)
    }

    /// Issues an access token to a device for a number of seconds, and deletes expired ones; the only time the token is
    /// returned.
    ///
    /// Throws ``AccessError``: `not-a-device`, `client-revoked`.
    package func issueToken(
        for actor: Actor, lifetime: TimeInterval
    ) async throws -> (token: String, expiresAt: Date) {
        guard
            policy.decide(actor, action: .issueToken, target: Target(resourceType: "Client", resourceID: actor.id))
                .allowed
        else {
            throw AccessError(
                code: "not-a-device", message: "Access tokens are for devices; staff tokens are created separately.")
        }
        let now = clock()
        let expiresAt = now.addingTimeInterval(lifetime)
        let token = String.newSecret(random)
        try await database.write { transaction in
            // The client may have been replaced since it was authenticated.
            guard
                let client = try transaction.first(
                    "SELECT enrolment_id FROM client WHERE id = ? AND revoked_at IS NULL", [SQLValue(actor.id)])
            else {
                throw AccessError(
                    code: "client-revoked", message: "The client was replaced by a new registration.")
            }
            try transaction.execute("DELETE FROM access_token WHERE expires_at <= ?", [SQLValue(now)])
            try transaction.execute(
                """
                DELETE FROM access_token WHERE token_digest IN (SELECT token_digest FROM access_token
                    WHERE client_id = ? ORDER BY created_at DESC, token_digest LIMIT 1000000 OFFSET ?)
                """, [SQLValue(actor.id), SQLValue(Self.tokensPerClient - 1)])
            try transaction.execute(
                "INSERT INTO access_token (token_digest, client_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [SQLValue(SecretDigest(of: token).hex), SQLValue(actor.id), SQLValue(now), SQLValue(expiresAt)])
            try transaction.execute(
                "UPDATE enrolment SET last_seen_at = ? WHERE id = ?", [SQLValue(now), client["enrolment_id"]])
        }
        return (token, expiresAt)
    }

    /// Returns the device with this bearer token; nil if it is unknown, expired or revoked.
    package func authenticate(bearer token: String) async throws -> Actor? {
        // Looked up by its digest, so that the duration reveals nothing about the token.
        try await lookUp(SecretDigest(of: token).hex, now: clock())
    }

    /// Returns the device of a submission's sender, possibly from a cache that is a few seconds old: the queue checks
    /// the client again in the transaction that stores the submission (``Storage/EnqueueResult/clientRevoked``).
    package func authenticateSender(bearer token: String) async throws -> Actor? {
        let digest = SecretDigest(of: token).hex
        let now = clock()
        if let device = recent.holder(digest: digest, now: now) { return device }
        return try await lookUp(digest, now: now)
    }

    private func lookUp(_ digest: String, now: Date) async throws -> Actor? {
        let row = try await database.lookUp { try $0.first(Self.tokenSQL, [SQLValue(digest), SQLValue(now)]) }
        guard let row else { return nil }
        let device = try Self.actor(row)
        recent.keep(device, digest: digest, expiresAt: try row.date("expires_at"), now: now)
        return device
    }

    /// Parameters: digest, now.
    static let tokenSQL = """
        SELECT c.id, c.enrolment_id, t.expires_at FROM access_token t JOIN client c ON c.id = t.client_id
        WHERE t.token_digest = ? AND t.expires_at > ? AND c.revoked_at IS NULL
        """

    private static func actor(_ row: SQLRow) throws -> Actor {
        Actor(id: try row.text("id"), role: .device, enrolmentID: try row.text("enrolment_id"))
    }

    private static func endClients(of enrolment: String, at: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "DELETE FROM access_token WHERE client_id IN (SELECT id FROM client WHERE enrolment_id = ?)",
            [SQLValue(enrolment)])
        try transaction.execute(
            "UPDATE client SET revoked_at = ? WHERE enrolment_id = ? AND revoked_at IS NULL",
            [SQLValue(at), SQLValue(enrolment)])
    }
}

extension DeviceAccess {
    /// Revokes a device: its clients and tokens end, and its receipt cannot register again.
    ///
    /// - Returns: false if there is no such enrolment.
    package func revoke(enrolment id: String) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            try Self.endClients(of: id, at: now, in: transaction)
            return try transaction.execute(
                "UPDATE enrolment SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?", [SQLValue(now), SQLValue(id)])
                > 0
        }
    }

    /// Returns all enrolled devices in the order of their registration, with their numbers of waiting submissions.
    package func enrolments() async throws -> [DeviceEnrolment] {
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT e.id, e.created_at, e.last_seen_at, e.revoked_at, (SELECT count(*) FROM submission s
                    WHERE s.lane = e.id AND s.status IN ('received', 'held', 'quarantined')) AS waiting
                FROM enrolment e ORDER BY e.created_at, e.id
                """
            ).map { try DeviceEnrolment($0) }
        }
    }
}

/// An enrolled device as reported to staff.
package struct DeviceEnrolment: Sendable, Hashable {
    package let id: String
    package let since: Date
    /// Time at which the device last requested an access token.
    package let lastSeen: Date?
    /// Time at which the study team revoked it.
    package let revokedAt: Date?
    /// Number of submissions that are neither stored nor refused.
    package let waiting: Int

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        since = try row.date("created_at")
        lastSeen = row.dateIfPresent("last_seen_at")
        revokedAt = row.dateIfPresent("revoked_at")
        waiting = Int(try row.integer("waiting"))
    }
}
