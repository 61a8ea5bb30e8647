import Foundation
import Storage

/// The store of the pairs of participants and records of identified people, `links/links.sqlite`.
///
/// A registrar's list alone reads the pairs. The consumer asks about the one link that a participant hands in, and is told
/// whether it became theirs, never which record it means.
public struct LinkStore: Sendable {
    /// One link.
    public struct Link: Sendable, Hashable {
        /// The link's id.
        public let id: String
        /// The site's name for the person's record.
        public let record: String
        public let createdAt: Date
        /// When it ends, if nobody has handed it in by then.
        public let expiresAt: Date
        /// The participant whose record it is; nil while nobody has handed it in.
        public let participant: String?
        /// When the link reached the study.
        public let linkedAt: Date?
    }

    /// The result of handing a link in.
    enum Claim: Sendable, Hashable {
        /// It is the participant's, from now on or since they handed it in before.
        case linked
        /// Somebody else handed it in.
        case used
        /// It had ended.
        case expired
        /// The study does not know it.
        case unknown
    }

    let database: any NestedSQLDatabase

    public init(_ database: any NestedSQLDatabase) { self.database = database }

    /// Finishes what is running and closes the store.
    public func close() async throws { try await database.close() }

    /// Uses the store and closes it, whatever comes of the use.
    public func closing<T>(_ body: (LinkStore) async throws -> T) async throws -> T {
        try await database.closing { _ in try await body(self) }
    }

    /// Notes a new link.
    public func add(_ id: String, record: String, createdAt: Date, expiresAt: Date) async throws {
        _ = try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO link (jti, record, created_at, expires_at) VALUES (?, ?, ?, ?)",
                [SQLValue(id), SQLValue(record), SQLValue(createdAt), SQLValue(expiresAt)])
        }
    }

    /// All links, in the order in which they were made: what registrars look at.
    public func all() async throws -> [Link] {
        try await database.read { transaction in
            try transaction.query("SELECT * FROM link ORDER BY created_at, jti").map { row in
                Link(
                    id: try row.text("jti"), record: try row.text("record"), createdAt: try row.date("created_at"),
                    expiresAt: try row.date("expires_at"), participant: row.textIfPresent("participant"),
                    linkedAt: row.dateIfPresent("linked_at"))
            }
        }
    }

    /// The participants who have links.
    public func participants() async throws -> Set<String> {
        try await database.read { transaction in
            Set(
                try transaction.query("SELECT DISTINCT participant FROM link WHERE participant IS NOT NULL")
                    .map { try $0.text("participant") })
        }
    }

    /// Deletes a participant's links.
    public func delete(participant: String) async throws {
        _ = try await database.write { transaction in
            try transaction.execute("DELETE FROM link WHERE participant = ?", [SQLValue(participant)])
        }
    }

    /// Counts and digests a participant's links, without the records that they mean: the digest is told.
    ///
    /// It runs inside of a transaction of the records.
    public func digest(participant: String) throws -> RowsDigest {
        try database.writeNested { transaction in
            try transaction.digest(
                of: "(SELECT jti, participant, submission_id, linked_at FROM link)", where: "participant = ?",
                [SQLValue(participant)], orderedBy: "jti")
        }
    }

    /// Makes a link a participant's, once. It runs inside of the transaction of the records that settles the submission, and
    /// is committed before it: who handles the submission again finds its own row.
    ///
    /// - Parameters:
    ///   - isInForce: whether it had not ended when it arrived.
    ///   - isSpent: whether the records know the link as handed in, by another submission than this. A store of links that
    ///     is older than the records may not.
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
