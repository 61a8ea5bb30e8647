import Core
import Crypto
import Foundation
import Storage

/// The participants who were deleted, so that what comes for one of them again is known: by keyed digests of their ids
/// (HMAC-SHA-256, RFC 2104) and nothing else of them.
public struct DeletionRegister: Sendable {
    /// The code that devices and people are told.
    public static let code = "participant-deleted"

    /// A deletion that was begun.
    public struct Entry: Sendable, Hashable {
        /// The keyed digest of the participant's id: lower-case hex.
        public let digest: String
        public let deletedAt: Date
        /// When its report was written; nil while something is left to do.
        public let completedAt: Date?
        /// What is left to do, and what was done so far, as whoever deletes wrote it; nil when it is complete.
        public let work: String?

        init(_ row: SQLRow) throws {
            digest = try row.text("digest")
            deletedAt = try row.date("deleted_at")
            completedAt = row.dateIfPresent("completed_at")
            work = row.textIfPresent("work")
        }
    }

    public init() {}

    /// The keyed digest of a participant's id: lower-case hex.
    public static func digest(of participant: String, key: Data) -> String {
        Hexadecimal.text(
            HMAC<SHA256>.authenticationCode(for: Data(participant.utf8), using: SymmetricKey(data: key)))
    }

    /// The study's key for the digests; nil before anybody was deleted.
    public func key(in transaction: any SQLTransaction) throws -> Data? {
        try transaction.first("SELECT digest_key FROM participant_deletion_key WHERE id = 1")?.blob("digest_key")
    }

    /// Gives the store its key, once.
    ///
    /// - Throws: ``TrustError`` `deletions-mismatch` where it has another one.
    public func claim(key: Data, in transaction: any SQLTransaction) throws {
        if let present = try self.key(in: transaction) {
            guard present == key else {
                throw TrustError(
                    code: "deletions-mismatch",
                    message: "The list of deleted participants belongs to another study than the records.")
            }
            return
        }
        try transaction.execute(
            "INSERT INTO participant_deletion_key (id, digest_key) VALUES (1, ?)", [SQLValue(key)])
    }

    /// The deletion of a participant; nil where they were never deleted.
    public func entry(of participant: String, in transaction: any SQLTransaction) throws -> Entry? {
        guard let key = try key(in: transaction) else { return nil }
        return try entry(digest: Self.digest(of: participant, key: key), in: transaction)
    }

    /// The deletion of a participant by the keyed digest of their id.
    public func entry(digest: String, in transaction: any SQLTransaction) throws -> Entry? {
        try transaction.first("SELECT * FROM participant_deletion WHERE digest = ?", [SQLValue(digest)])
            .map { try Entry($0) }
    }

    /// Whether what comes for a participant is to be refused.
    public func isDeleted(_ participant: String, in transaction: any SQLTransaction) throws -> Bool {
        try entry(of: participant, in: transaction) != nil
    }

    /// All deletions, by their digests.
    public func all(in transaction: any SQLTransaction) throws -> [Entry] {
        try transaction.query("SELECT * FROM participant_deletion ORDER BY digest").map { try Entry($0) }
    }

    /// Notes a deletion, or what is left of it.
    ///
    /// - Parameter work: nil where nothing is left to do.
    public func note(
        digest: String, deletedAt: Date, work: String?, completedAt: Date?, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO participant_deletion (digest, deleted_at, completed_at, work) VALUES (?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET completed_at = excluded.completed_at, work = excluded.work
            """, [SQLValue(digest), SQLValue(deletedAt), SQLValue(completedAt), SQLValue(work)])
    }
}
