import Foundation
import Storage

/// One row of the audit.
package struct AuditEntry: Sendable, Hashable {
    package let number: Int64
    package let at: Date
    /// The person, device or server that acted.
    package let actor: String?
    /// The client (an app, a device or a server) that acted for it.
    package let client: String?
    package let role: String?
    package let action: String
    package let resourceType: String?
    package let resourceID: String?
    /// Participants that the row is about, and those that a response contained: their ids if they can still be
    /// resolved, otherwise pseudonyms.
    package let participants: [String]
    package let isAllowed: Bool
    package let reason: String
    /// Number of resources, if it is not one.
    package let amount: Int64?
}

extension AuditLog {
    /// Returns the newest rows of the audit in descending order: all, or those about one participant.
    ///
    /// - Parameter last: number of the last row of the previous page; nil for the first page.
    package func entries(
        participant: String? = nil, after last: Int64? = nil, limit: Int = 1000
    ) async throws -> [AuditEntry] {
        let last = last ?? .max
        return try await database.read { transaction in
            let rows: [SQLRow]
            if let participant {
                guard
                    let known = try transaction.first(
                        "SELECT pseudonym FROM participant_pseudonym WHERE participant = ?", [SQLValue(participant)])
                else { return [] }
                rows = try transaction.query(
                    """
                    SELECT * FROM audit WHERE number < ? AND (subject = ? OR number IN
                        (SELECT number FROM audit_participant WHERE pseudonym = ?)) ORDER BY number DESC LIMIT ?
                    """, [SQLValue(last), known["pseudonym"], known["pseudonym"], SQLValue(limit)])
            } else {
                rows = try transaction.query(
                    "SELECT * FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?",
                    [SQLValue(last), SQLValue(limit)])
            }
            return try rows.map { try Self.entry($0, in: transaction) }
        }
    }

    private static func entry(_ row: SQLRow, in transaction: any SQLTransaction) throws -> AuditEntry {
        let number = try row.integer("number")
        let shown = try transaction.query(
            "SELECT pseudonym FROM audit_participant WHERE number = ? ORDER BY pseudonym", [SQLValue(number)]
        ).map { try $0.text("pseudonym") }
        var participants: [String] = []
        for pseudonym in [row.textIfPresent("subject")].compactMap({ $0 }) + shown {
            let resolved = try transaction.first(
                "SELECT participant FROM participant_pseudonym WHERE pseudonym = ?", [SQLValue(pseudonym)])
            let name = try resolved?.text("participant") ?? pseudonym
            if !participants.contains(name) { participants.append(name) }
        }
        return try AuditEntry(row, participants: participants)
    }
}

extension AuditEntry {
    /// Reads a row of the audit.
    init(_ row: SQLRow, participants: [String]) throws {
        number = try row.integer("number")
        at = try row.date("at")
        actor = row.textIfPresent("actor_id")
        client = row.textIfPresent("client")
        role = row.textIfPresent("role")
        action = try row.text("action")
        resourceType = row.textIfPresent("resource_type")
        resourceID = row.textIfPresent("resource_id")
        self.participants = participants
        isAllowed = try row.integer("allowed") != 0
        reason = try row.text("reason")
        amount = row.integerIfPresent("amount")
    }
}
