import Foundation
import Storage

/// Store of the pairs of participants and records of identified people, `links/links.sqlite`.
///
/// Only a registrar's list reads the pairs. The consumer looks up the one link that a participant submits. The result
/// is whether the link is theirs, never the record.
package struct LinkStore: Sendable {
    /// One link.
    package struct Link: Sendable, Hashable {
        /// Id of the link.
        package let id: String
        /// The site's identifier of the person's record.
        package let record: String
        package let createdAt: Date
        /// Expiry of the link, if it was not submitted before.
        package let expiresAt: Date
        /// Participant who submitted the link; nil before.
        package let participant: String?
        /// Time at which the link reached the study.
        package let linkedAt: Date?
    }

    /// Result of submitting a link.
    enum Claim: Sendable, Hashable {
        /// The link belongs to the participant, now or since an earlier submission.
        case linked
        /// Another participant has submitted it.
        case used
        /// It has expired.
        case expired
        /// It is unknown to the study.
        case unknown
    }

    let database: any NestedSQLDatabase

    package init(_ database: any NestedSQLDatabase) { self.database = database }

    /// Waits for running transactions and closes the store.
    package func close() async throws { try await database.close() }

    /// Uses the store and closes it, also after an error.
    package func closing<T>(_ body: (LinkStore) async throws -> T) async throws -> T {
        try await database.closing { _ in try await body(self) }
    }

    /// Adds a new link.
    package func add(_ id: String, record: String, createdAt: Date, expiresAt: Date) async throws {
        _ = try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO link (jti, record, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [SQLValue(id), SQLValue(record), SQLValue(createdAt), SQLValue(expiresAt)])
        }
    }

    /// Returns all links in the order of their creation, for registrars.
    package func all() async throws -> [Link] {
        try await database.read { transaction in
            try transaction.query("SELECT * FROM link ORDER BY created_at, jti").map { row in
                Link(
                    id: try row.text("jti"), record: try row.text("record"), createdAt: try row.date("created_at"),
                    expiresAt: try row.date("expires_at"), participant: row.textIfPresent("participant"),
                    linkedAt: row.dateIfPresent("linked_at"))
            }
        }
    }

    /// Returns the participants who have links.
    package func participants() async throws -> Set<String> {
        try await database.read { transaction in
            Set(
                try transaction.query("SELECT DISTINCT participant FROM link WHERE participant IS NOT NULL")
                    .map { try $0.text("participant") })
        }
    }

    /// Deletes a participant's links.
    package func delete(participant: String) async throws {
        _ = try await database.write { transaction in
            try transaction.execute("DELETE FROM link WHERE participant = ?", [SQLValue(participant)])
        }
    }

    /// Deletes the links to a record.
    package func delete(record: String) async throws {
        _ = try await database.write { transaction in
            try transaction.execute("DELETE FROM link WHERE record = ?", [SQLValue(record)])
        }
    }

    /// Returns the number and the digest of a participant's links. The digest is disclosed, so it does not cover the
    /// records.
    ///
    /// Runs inside a transaction of the records.
    package func digest(participant: String) throws -> RowsDigest {
        try database.writeNested { transaction in
            try transaction.digest(
                of: "(SELECT jti, participant, submission_id, linked_at FROM link)", where: "participant = ?",
                [SQLValue(participant)], orderedBy: "jti")
        }
    }

    /// Assigns a link to a participant, once. Runs inside the transaction of the records that settles the submission,
    /// and commits before it: if the submission is processed again, its own row is found.
    ///
    /// - Parameters:
    ///   - isInForce: whether the link was still valid when it arrived.
    ///   - isSpent: whether the records contain the link as used by another submission. A store of links that is older
    ///     than the records may lack this.
    func claim(
        _ id: String, by participant: String, submissionID: String, at: Date, isInForce: Bool,
        isSpent: Bool
    ) throws -> Claim {
        try database.writeNested { transaction in
            guard let row = try transaction.first("SELECT participant FROM link WHERE jti = ?", [SQLValue(id)]) else {
                return .unknown
            }
            if let owner = row.textIfPresent("participant") { return owner == participant ? .linked : .used }
            guard !isSpent else { return .used }
            guard isInForce else { return .expired }
            try transaction.execute(
                """
                UPDATE link SET participant = ?, submission_id = ?, linked_at = ? WHERE jti = ? AND participant IS NULL
                """, [SQLValue(participant), SQLValue(submissionID), SQLValue(at), SQLValue(id)])
            return .linked
        }
    }
}
