import Foundation
import Storage

extension AccessControl {
    /// Registers a device by its verified app receipt and gives its new credentials, the only time the secret is seen.
    ///
    /// The same receipt again replaces the earlier client: that one and its tokens are revoked, the binding to the
    /// participant stays (it stands in the enrolment that both clients belong to), and what the earlier one has
    /// submitted stays valid.
    /// - Parameter receiptDigest: SHA-256 of the receipt, hex.
    public func registerClient(
        receiptDigest: String, name: String? = nil
    ) async throws -> (clientID: String, clientSecret: String) {
        let now = clock()
        let clientID = newID()
        let secret = String.newSecret(random)
        let newEnrolment = newID()
        try await database.write { transaction in
            // 1. May one?
            let decision = try decide(
                nil, .register, Target(resourceType: "Client", resourceID: clientID), in: transaction)
            guard decision.allowed else {
                throw TrustError(code: decision.reason, message: "Registration is not permitted.")
            }
            // 2. The receipt's enrolment, new or known.
            try transaction.execute(
                """
                INSERT INTO enrolment (id, receipt_digest, created_at) VALUES (?, ?, ?)
                ON CONFLICT (receipt_digest) DO NOTHING
                """,
                [SQLValue(newEnrolment), SQLValue(receiptDigest), SQLValue(now)])
            guard
                let enrolment = try transaction.first(
                    "SELECT id FROM enrolment WHERE receipt_digest = ?", [SQLValue(receiptDigest)])?.text(
                        "id")
            else {
                throw StorageError(
                    code: "storage-failed", message: "An enrolment vanished while it was made.")
            }
            // 3. Its earlier clients end.
            try transaction.execute(
                """
                DELETE FROM access_token WHERE client_id IN (SELECT id FROM client WHERE enrolment_id = ?)
                """, [SQLValue(enrolment)])
            try transaction.execute(
                "UPDATE client SET revoked_at = ? WHERE enrolment_id = ? AND revoked_at IS NULL",
                [SQLValue(now), SQLValue(enrolment)])
            // 4. The new one.
            try transaction.execute(
                "INSERT INTO client (id, enrolment_id, secret_digest, name, created_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(clientID), SQLValue(enrolment), SQLValue(SecretDigest(of: secret).hex),
                    SQLValue(name),
                    SQLValue(now),
                ])
        }
        return (clientID, secret)
    }

    /// The device with these credentials; nil if they are wrong or revoked.
    public func authenticateClient(id: String, secret: String) async throws -> Actor? {
        // SQLite knows no text with a zero byte in it, and no client has one.
        guard !id.utf8.contains(0) else { return nil }
        let row = try await database.read { transaction in
            try transaction.first(Self.clientSQL + " WHERE c.id = ?", [SQLValue(id)])
        }
        // Without a client something is compared all the same, so that the time tells nothing.
        let stored =
            row?.textIfPresent("secret_digest").flatMap { SecretDigest(hex: $0) } ?? SecretDigest(of: "")
        guard stored.matches(secret), let row, row["revoked_at"] == .null else { return nil }
        return try Self.actor(row)
    }

    /// The actor of a client, also of a replaced one, whose queued submissions stay valid; nil if it never existed.
    public func actor(forClient id: String, in transaction: any SQLTransaction) throws -> Actor? {
        try transaction.first(Self.clientSQL + " WHERE c.id = ?", [SQLValue(id)]).map(Self.actor)
    }

    /// Binds the client's device to a participant, by the first Contract; decides, and writes the audit row.
    ///
    /// Allowed too if it is bound to the same already. Denied with `already-bound` if another device has that
    /// participant, with `other-participant` if this device has another.
    public func bind(
        clientID: String, toParticipant participant: String, in transaction: any SQLTransaction
    ) throws -> Decision {
        let target = Target(resourceType: "Contract", subject: participant)
        guard let actor = try actor(forClient: clientID, in: transaction),
            let enrolment = actor.enrolmentID
        else {
            let decision = Decision.denied("unknown-client")
            try record(decision, nil, .bindParticipant, target, in: transaction)
            return decision
        }
        var decision = policy.decide(actor, .bindParticipant, target)
        if decision.allowed, actor.participant == nil {
            let other = try transaction.first(
                "SELECT id FROM enrolment WHERE participant = ?", [SQLValue(participant)])
            if other == nil {
                try transaction.execute(
                    "UPDATE enrolment SET participant = ?, bound_at = ? WHERE id = ?",
                    [SQLValue(participant), SQLValue(clock()), SQLValue(enrolment)])
                decision = Decision(allowed: true, reason: "bound")
            } else {
                decision = .denied("already-bound")
            }
        }
        try record(decision, actor, .bindParticipant, target, in: transaction)
        return decision
    }

    /// All clients, for the staff, in the order of their registration.
    public func clients() async throws -> [ClientSummary] {
        try await database.read { transaction in
            try transaction.query(Self.clientSQL + " ORDER BY c.created_at, c.id").map {
                try ClientSummary($0)
            }
        }
    }

    static let clientSQL = """
        SELECT c.id, c.enrolment_id, c.secret_digest, c.name, c.created_at, c.revoked_at, e.participant, e.bound_at,
        e.last_seen_at FROM client c JOIN enrolment e ON e.id = c.enrolment_id
        """

    static func actor(_ row: SQLRow) throws -> Actor {
        Actor(
            id: try row.text("id"), role: .device, participant: row.textIfPresent("participant"),
            enrolmentID: try row.text("enrolment_id"))
    }

    /// A random UUID (RFC 9562 version 4), lower case.
    func newID() -> String {
        var bytes = random(16)
        while bytes.count < 16 { bytes.append(0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.prefix(16).enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A registered client as the staff sees it.
public struct ClientSummary: Sendable, Hashable {
    public let id: String
    public let enrolmentID: String
    public let name: String?
    public let registeredAt: Date
    /// When it was replaced; nil while it is valid.
    public let revokedAt: Date?
    /// The participant that its device is bound to.
    public let participant: String?
    public let boundAt: Date?
    /// When the device last asked for an access token.
    public let lastSeenAt: Date?

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        enrolmentID = try row.text("enrolment_id")
        name = row.textIfPresent("name")
        registeredAt = try row.date("created_at")
        revokedAt = row.dateIfPresent("revoked_at")
        participant = row.textIfPresent("participant")
        boundAt = row.dateIfPresent("bound_at")
        lastSeenAt = row.dateIfPresent("last_seen_at")
    }
}
